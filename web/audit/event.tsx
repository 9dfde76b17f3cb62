import type { LogEvent } from "../../src/client/index.ts";
import { ErrorCard, Link, navigate, type PageProps, useCall, useKeys } from "../frame/index.ts";
import { Ago, Copy, Fact } from "../parts/index.ts";
import { Code, SafeText } from "../text/index.ts";
import { addressOf } from "./chosen.ts";
import { addressOfEvent } from "./entries.tsx";
import { ProofView } from "./proof-view.tsx";
import { useWitness } from "./use-witness.ts";
import { WitnessLine } from "./witness-line.tsx";
import "./page.css";

/** One event in full, and its proof. */
export function View({ params }: PageProps) {
  const eventId = params["eventId"] ?? "";
  const { value, error, again } = useCall("event.show", { eventId });
  const witness = useWitness();
  useKeys({ Escape: { does: "Back to the log", run: () => history.back() } });
  return (
    <div class="page audit">
      <p class="audit-crumbs">
        <Link to="/ui/audit">Audit</Link> / event
      </p>
      <WitnessLine {...witness} />
      {error !== undefined && <ErrorCard error={error} again={again} />}
      {value === undefined && error === undefined && <p class="muted">Loading …</p>}
      {value !== undefined && (
        <div class="audit-event">
          <EventFacts event={value} />
          <ProofView event={value} witnessed={witness.witnessed} />
          <section aria-label="Data" class="audit-data">
            <h2>Data</h2>
            {value.data === null ? (
              <p class="muted">The data was erased or archived. The header and its hash stay in the log.</p>
            ) : (
              <Code text={JSON.stringify(value.data, null, 2)} language="json" />
            )}
            <details>
              <summary>The whole event as JSON</summary>
              <Code text={JSON.stringify(value, null, 2)} language="json" />
            </details>
          </section>
        </div>
      )}
    </div>
  );
}

function EventFacts({ event }: { readonly event: LogEvent }) {
  const [, sessionId] = /^session\/(.+)$/.exec(event.stream) ?? [];
  const isEvent = event.cause !== null && !event.cause.startsWith("call:");
  return (
    <section class="audit-card" aria-labelledby="audit-event-name">
      <h1 id="audit-event-name">
        <SafeText text={event.type} oneLine />
      </h1>
      <dl class="audit-facts">
        <Fact name="Number">{event.seq} in the log</Fact>
        <Fact name="When">
          {new Date(event.at).toLocaleString()} (<Ago at={event.at} /> ago)
        </Fact>
        <Fact name="Who">
          <Link to={addressOf({ actor: event.actor })}>
            <SafeText text={event.actor} oneLine />
          </Link>
        </Fact>
        <Fact name="Stream">
          <Link to={addressOf({ stream: event.stream })}>
            <SafeText text={event.stream} oneLine />
          </Link>
          , number {event.version}
        </Fact>
        {sessionId !== undefined && (
          <Fact name="Session">
            <Link to={`/ui/session/${sessionId}`}>Open the session</Link>
          </Fact>
        )}
        <Fact name="Because of">
          {event.cause === null ? (
            "nothing named"
          ) : isEvent ? (
            <Link to={addressOfEvent(event.cause)}>the event {event.cause.slice(-9)}</Link>
          ) : (
            "a call with an idempotency key"
          )}
        </Fact>
        <Fact name="Id">
          <Copy text={event.id} />
        </Fact>
      </dl>
      <p>
        <button type="button" class="audit-like" onClick={() => navigate(addressOf({ type: event.type }))}>
          All events of this type
        </button>
      </p>
    </section>
  );
}
