import { useEffect, useState } from "preact/hooks";
import type { LogEvent } from "../../src/client/index.ts";
import { ErrorCard, Link, navigate, useKeys } from "../frame/index.ts";
import { useSession } from "../live/index.ts";
import { Ago, Button, Empty, Rows } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { type Chosen, isNothing } from "./chosen.ts";
import { useEntries } from "./use-entries.ts";

const PHONE = matchMedia("(max-width: 760px)");

export function Entries({ chosen }: { readonly chosen: Chosen }) {
  const { entries, next, isLoading, error, older, again } = useEntries(chosen);
  const [cursor, setCursor] = useState<number | undefined>(undefined);
  useEffect(() => setCursor(undefined), [JSON.stringify(chosen)]);
  const move = (step: number): void => {
    const to = Math.max(0, Math.min(entries.length - 1, (cursor ?? -1) + step));
    setCursor(to);
    if (to >= entries.length - 1) older();
  };
  useKeys({
    j: { does: "Next event", run: () => move(1) },
    k: { does: "Event before", run: () => move(-1) },
    Enter: {
      does: "Open the event",
      run: () => {
        const event = entries[cursor ?? -1];
        if (event !== undefined) navigate(addressOfEvent(event.id));
      },
    },
    o: { does: "Load older events", run: older },
  });
  if (error !== undefined) return <ErrorCard error={error} again={again} />;
  if (entries.length === 0 && !isLoading && next === null) return <Nothing isAll={isNothing(chosen)} />;
  return (
    <section aria-label="Events" aria-busy={isLoading}>
      <Rows
        count={entries.length}
        rowHeight={PHONE.matches ? 66 : 38}
        label="Events, newest first"
        keyOf={(index) => entries[index]?.id ?? String(index)}
        {...(cursor === undefined ? {} : { cursor })}
        render={(index) => {
          const event = entries[index];
          return event === undefined ? null : <Entry event={event} isCurrent={index === cursor} />;
        }}
      />
      <div class="audit-more">
        {next === null ? (
          !isLoading && <p class="muted">This is the beginning of the log.</p>
        ) : (
          <Button onClick={older} disabled={isLoading} keyName="o">
            {isLoading ? "Loading …" : "Older events"}
          </Button>
        )}
      </div>
    </section>
  );
}

export function addressOfEvent(id: string): string {
  return `/ui/audit/event/${encodeURIComponent(id)}`;
}

function Entry({ event, isCurrent }: { readonly event: LogEvent; readonly isCurrent: boolean }) {
  return (
    <Link to={addressOfEvent(event.id)} class={isCurrent ? "audit-entry audit-entry-current" : "audit-entry"}>
      <span class="audit-seq">{event.seq}</span>
      <span class="audit-type">
        <SafeText text={event.type} oneLine />
      </span>
      <span class="audit-about muted">
        <SafeText text={gist(event)} oneLine />
      </span>
      <span class="audit-stream">
        <StreamName stream={event.stream} />
      </span>
      <span class="audit-actor muted">
        <SafeText text={event.actor} oneLine />
      </span>
      <span class="audit-at muted">
        <Ago at={event.at} />
      </span>
    </Link>
  );
}

/** A session's name where it is known, else the end of its id, which differs more than its beginning. */
function StreamName({ stream }: { readonly stream: string }) {
  const session = useSession(stream.replace(/^session\//, ""));
  return <SafeText text={session?.name ?? stream.replace(UUID, "…$1")} oneLine />;
}

const UUID = /[0-9a-f]{8}-[0-9a-f-]{18}([0-9a-f]{9})$/;

/** The first words of the data that a person would look for. */
const TELLING = ["text", "prompt", "question", "title", "message", "outcome", "path", "name", "slug", "label"] as const;
const GIST_CHARS = 160;

function gist({ data }: LogEvent): string {
  if (typeof data !== "object" || data === null) return data === null ? "erased" : String(data);
  for (const member of TELLING) {
    const value = (data as Readonly<Record<string, unknown>>)[member];
    if (typeof value === "string" && value !== "") return value.slice(0, GIST_CHARS);
  }
  return "";
}

function Nothing({ isAll }: { readonly isAll: boolean }) {
  return isAll ? (
    <Empty title="The log is empty" command="nomos run 'say hi'">
      Every change of every session becomes an event here, in one order, signed.
    </Empty>
  ) : (
    <Empty title="No event matches">
      Types are written as in <code>turn.ended</code>, streams in full: <code>session/&lt;id&gt;</code>,{" "}
      <code>agent/&lt;slug&gt;</code>, <code>system</code>.
    </Empty>
  );
}
