import { useState } from "preact/hooks";
import type { InputOf, LogEvent } from "../../src/client/index.ts";
import { ErrorCard, Link, useCall } from "../frame/index.ts";
import { Button, Empty } from "../parts/index.ts";
import { Actor, clockText } from "../talk/index.ts";
import { Code, SafeText } from "../text/index.ts";

const PAGE = 100;

/** The session's events as the log has them, newest first. */
export function EventsTab({ id }: { readonly id: string }) {
  const [types, setTypes] = useState("");
  /** Where each page begins; the last is shown. */
  const [cursors, setCursors] = useState<readonly (number | null)[]>([null]);
  const after = cursors.at(-1) ?? null;
  const wanted = types.split(/[\s,]+/).filter((type) => type !== "");
  const input: InputOf<"session.events"> = {
    ...{ id, order: "desc", limit: PAGE },
    ...(after === null ? {} : { after }),
    ...(wanted.length === 0 ? {} : { types: wanted }),
  };
  const { value, error, isLoading, again } = useCall("session.events", input);
  const next = value?.next ?? null;
  return (
    <div class="session-events">
      <div class="session-events-head">
        <input
          data-search
          aria-label="Types of events"
          placeholder="Types, such as turn.ended effect.settled"
          value={types}
          onChange={({ currentTarget }) => {
            setTypes(currentTarget.value);
            setCursors([null]);
          }}
        />
        <Button disabled={cursors.length === 1} onClick={() => setCursors(cursors.slice(0, -1))}>
          Newer
        </Button>
        <Button disabled={next === null} onClick={() => setCursors([...cursors, next])}>
          Older
        </Button>
        <Button onClick={again}>Read again</Button>
      </div>
      {error !== undefined && <ErrorCard error={error} again={again} />}
      {value?.events.length === 0 && !isLoading && <Empty title="No such event" />}
      <ul>
        {value?.events.map((event) => (
          <li key={event.seq}>
            <RawEvent event={event} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function RawEvent({ event }: { readonly event: LogEvent }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="session-event" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="muted mono">{event.version}</span>
        <code>
          <SafeText text={event.type} oneLine />
        </code>
        <span class="muted">
          <Actor name={event.actor} /> · <time dateTime={event.at}>{clockText(event.at)}</time>
        </span>
      </summary>
      {isOpen && (
        <>
          <Code text={JSON.stringify(event, null, 2)} language="json" />
          <p>
            <Link to={`/ui/audit/event/${encodeURIComponent(event.id)}`}>Prove this event</Link>
          </p>
        </>
      )}
    </details>
  );
}
