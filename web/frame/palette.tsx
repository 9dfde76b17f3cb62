import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useSessions } from "../live/index.ts";
import { Icon } from "../parts/index.ts";
import { safeString } from "../text/index.ts";
import { navigate } from "./route.tsx";

export interface PaletteEntry {
  readonly name: string;
  /** What it is about, smaller. */
  readonly hint?: string;
  readonly run: () => void;
}

const IS_OPEN = signal(false);
const HELD = signal<readonly (readonly PaletteEntry[])[]>([]);
const SHOWN_MAX = 50;

export function openPalette(): void {
  IS_OPEN.value = true;
}

/** Entries of a view while it is shown. */
export function usePaletteEntries(entries: readonly PaletteEntry[]): void {
  const names = entries.map(({ name }) => name).join("\n");
  useEffect(() => {
    HELD.value = [...HELD.peek(), entries];
    return () => {
      HELD.value = HELD.peek().filter((held) => held !== entries);
    };
  }, [names]);
}

export function Palette() {
  return IS_OPEN.value ? <OpenPalette /> : null;
}

function OpenPalette() {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const entries = useEntries();
  const found = useMemo(() => matching(entries, text).slice(0, SHOWN_MAX), [entries, text]);
  // Before the next key: one types at once.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const close = (): void => {
    IS_OPEN.value = false;
  };
  const choose = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return;
    close();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(found.length - 1, at + step)));
    }
    if (event.key === "Enter") {
      event.preventDefault();
      choose(found[at]);
    }
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Go to or do" onClose={close}>
      <div class="palette-input">
        <Icon name="search" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found.length > 0 ? `palette-${at}` : undefined}
          aria-label="Type a page, a session or an action"
          placeholder="Go to a page or session, or do something"
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id="palette-list" class="palette-list" role="listbox" aria-label="Found" tabIndex={-1}>
        {found.map((entry, index) => (
          <div
            key={`${entry.name} ${entry.hint}`}
            id={`palette-${index}`}
            class="palette-entry"
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => choose(entry)}
            onKeyDown={onKeyDown}
          >
            <bdi>{entry.name}</bdi>
            {entry.hint !== undefined && <small class="muted">{entry.hint}</small>}
          </div>
        ))}
      </div>
    </dialog>
  );
}

/** What the views offer, and every session. */
function useEntries(): readonly PaletteEntry[] {
  const sessions = useSessions();
  const held = HELD.value;
  return useMemo(() => {
    const ofSessions = sessions.map(
      ({ id, name, title, agent }): PaletteEntry => ({
        name: safeString(title ?? name),
        hint: `${name} · ${agent}`,
        run: () => navigate(`/ui/session/${id}`),
      }),
    );
    return [...held.flat().toReversed(), ...ofSessions];
  }, [sessions, held]);
}

/** Every word has to be in the name or the hint. */
function matching(entries: readonly PaletteEntry[], text: string): readonly PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/);
  return entries.filter(({ name, hint = "" }) => {
    const whole = `${name} ${hint}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
}
