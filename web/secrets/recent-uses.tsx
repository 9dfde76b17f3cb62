import { useState } from "preact/hooks";
import { Link, useCall } from "../frame/index.ts";
import { Ago } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { USED } from "./use-uses.ts";

const SHOWN_MAX = 20;

/** What a secret was used for lately, read when it is opened. */
export function RecentUses({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  const input = { stream: `secret/${id}`, types: [USED], order: "desc", limit: SHOWN_MAX } as const;
  const { value, error } = useCall("audit.entries", input, { when: isOpen, on: /^secret\.used@/ });
  return (
    <details class="secrets-recent" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Last uses</summary>
      {error !== undefined && <p class="muted">The log cannot be read with this sign-in.</p>}
      <ul>
        {value?.entries.map(({ id: eventId, at, data }) => (
          <li key={eventId}>
            <Ago at={at} /> ago, <SafeText text={textIn(data, "use") ?? "for something"} oneLine />
            <OfSession id={textIn(data, "sessionId")} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function OfSession({ id }: { readonly id: string | null }) {
  if (id === null) return null;
  return (
    <>
      {" "}
      in <Link to={`/ui/session/${encodeURIComponent(id)}`}>its session</Link>
    </>
  );
}

/** Null for data that was erased, or that this person may not see. */
function textIn(data: unknown, member: string): string | null {
  const found: unknown =
    typeof data === "object" && data !== null ? Object.entries(data).find(([name]) => name === member)?.[1] : null;
  return typeof found === "string" ? found : null;
}
