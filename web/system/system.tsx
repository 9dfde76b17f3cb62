import { Link, navigate, type PageProps, useKeys, usePaletteEntries } from "../frame/index.ts";
import { Empty, Select } from "../parts/index.ts";
import { SECTIONS } from "./sections.ts";
import "./page.css";

const FIRST = SECTIONS[0];

/** The daemon and all that it is set to. */
export function View({ params }: PageProps) {
  const asked = params["section"] ?? FIRST?.id;
  const at = SECTIONS.findIndex(({ id }) => id === asked);
  const section = SECTIONS[at];
  const go = (step: number): void => {
    const next = SECTIONS[(at + step + SECTIONS.length) % SECTIONS.length];
    if (next !== undefined) navigate(addressOf(next.id));
  };
  useKeys({
    "]": { does: "Next section", run: () => go(1) },
    "[": { does: "Section before", run: () => go(-1) },
    j: { does: "Next entry", run: () => moveFocus(1) },
    k: { does: "Entry before", run: () => moveFocus(-1) },
    Enter: { does: "Into the entry", run: enterEntry },
  });
  usePaletteEntries(SECTIONS.map(({ id, name }) => ({ name, hint: "System", run: () => navigate(addressOf(id)) })));
  return (
    <div class="page system">
      <nav class="system-nav" aria-label="Sections">
        <ul>
          {SECTIONS.map(({ id, name }) => (
            <li key={id}>
              <Link to={addressOf(id)} {...(id === asked ? { "aria-current": "page" as const } : {})}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
        <Select
          label="Section"
          value={asked ?? ""}
          options={SECTIONS.map(({ id, name }) => [id, name] as const)}
          onChange={(id) => navigate(addressOf(id))}
        />
      </nav>
      <div class="system-section">
        {section === undefined ? <Empty title="No such section" /> : <section.View key={section.id} />}
      </div>
    </div>
  );
}

const ENTRIES = ".system-list > li, .system-settings > li, .system-checklist > li";
const CONTROLS = "button:not(:disabled), input:not(:disabled), select, textarea, a[href]";

function moveFocus(step: number): void {
  const entries = [...document.querySelectorAll<HTMLElement>(ENTRIES)];
  const at = entries.findIndex((entry) => entry.contains(document.activeElement));
  const next = entries[Math.max(0, Math.min(entries.length - 1, at + step))];
  if (next === undefined) return;
  next.tabIndex = -1;
  next.focus();
}

/** The keys belong to the entry until one of its controls has the focus. */
function enterEntry(): void {
  document.activeElement?.closest(ENTRIES)?.querySelector<HTMLElement>(CONTROLS)?.focus();
}

function addressOf(id: string): string {
  return `/ui/system/${id}`;
}
