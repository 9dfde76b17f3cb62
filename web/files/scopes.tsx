import type { LogEvent } from "../../src/client/index.ts";
import { ErrorCard, Link, useCall } from "../frame/index.ts";
import { useSession } from "../live/index.ts";
import { Ago, Badge, Empty } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { revertedIn, scopeIn } from "./scope-events.ts";

const EVENTS_MAX = 200;

/** Which sessions may change only some paths, and what they changed outside and was put back. */
export function Scopes() {
  const opened = useCall("audit.entries", { types: ["session.opened"], order: "desc", limit: EVENTS_MAX }, FRESH);
  const reverted = useCall("audit.entries", { types: ["scope.reverted"], order: "desc", limit: EVENTS_MAX }, FRESH);
  const error = opened.error ?? reverted.error;
  if (error !== undefined) return <ErrorCard error={error} again={opened.again} />;
  if (opened.value === undefined || reverted.value === undefined) return <p class="muted">Loading …</p>;
  const scoped = opened.value.entries.filter((event) => scopeIn(event.data) !== null);
  const back = reverted.value.entries;
  if (scoped.length === 0 && back.length === 0)
    return (
      <Empty title="No session has a scope" command={COMMAND}>
        A scope says which paths a session may change. What it changes outside is put back when the turn ends, and
        listed here.
      </Empty>
    );
  return (
    <>
      <h2 class="files-gap">Put back</h2>
      {back.length === 0 && <p class="muted">Nothing: every session stayed within its scope.</p>}
      <ul class="files-list" aria-label="Put back">
        {back.map((event) => (
          <Reverted key={event.id} event={event} />
        ))}
      </ul>
      <h2 class="files-gap">Sessions with a scope</h2>
      <ul class="files-list" aria-label="Sessions with a scope">
        {scoped.map((event) => (
          <Scoped key={event.id} event={event} />
        ))}
      </ul>
    </>
  );
}

const FRESH = { on: /^(?:session|scope|approval)\./ };
const COMMAND = "nomos run --scope 'src/**' 'fix the parser'";

function SessionOf({ stream }: { readonly stream: string }) {
  const id = stream.replace(/^session\//, "");
  const session = useSession(id);
  return (
    <Link to={`/ui/session/${id}`}>
      <SafeText text={session?.title ?? session?.name ?? id} oneLine />
    </Link>
  );
}

function Reverted({ event }: { readonly event: LogEvent }) {
  return (
    <li class="files-tree">
      <div class="files-tree-head">
        <Badge kind="warn">put back</Badge>
        <SessionOf stream={event.stream} />
        <span class="muted">
          <Ago at={event.at} /> ago
        </span>
        <Link to={`/ui/audit/event/${event.id}`}>the event</Link>
      </div>
      <ul class="files-paths">
        {revertedIn(event.data).map(({ path, rule }) => (
          <li key={path}>
            <code>
              <SafeText text={path} strict oneLine />
            </code>{" "}
            <span class="muted">
              <SafeText text={rule === "no_rule" ? "no pattern allows it" : rule} />
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
}

function Scoped({ event }: { readonly event: LogEvent }) {
  const scope = scopeIn(event.data);
  if (scope === null) return null;
  return (
    <li class="files-tree">
      <div class="files-tree-head">
        <SessionOf stream={event.stream} />
        <span class="muted">
          <Ago at={event.at} /> ago
        </span>
      </div>
      <ul class="files-paths">
        {scope.deny.map((path) => (
          <li key={`not ${path}`}>
            <Badge kind="bad">may not change</Badge>{" "}
            <code>
              <SafeText text={path} strict oneLine />
            </code>
          </li>
        ))}
        {scope.allow.map((path) => (
          <li key={path}>
            <Badge kind="good">may change</Badge>{" "}
            <code>
              <SafeText text={path} strict oneLine />
            </code>
          </li>
        ))}
      </ul>
    </li>
  );
}
