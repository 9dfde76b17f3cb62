import type { OutputOf } from "../../../src/client/index.ts";
import { Link } from "../../frame/index.ts";
import { Badge, costText, tokensText } from "../../parts/index.ts";
import { SafeText } from "../../text/index.ts";

type Replay = OutputOf<"session.replay">;
type Judged = Replay["refused"][number];
type Divergence = Replay["turns"][number]["divergences"][number];

/** What a replay found. */
export function Report({ replay }: { readonly replay: Replay }) {
  const { turns, steps, spent, wouldCost, compared, judged, refused, asked, more, notes } = replay;
  const divergences = turns.flatMap((turn) => turn.divergences);
  return (
    <div class="session-replay-report" role="status">
      <p>
        <Badge kind={replay.diverged ? "warn" : "good"}>{replay.diverged ? "diverges" : "the same"}</Badge>{" "}
        {turns.length} turns, {steps} steps, {judged} calls judged by{" "}
        {replay.policy === "given" ? "the given" : "today’s"} rules.
      </p>
      <p>
        Recorded: <strong>{tokensText(spent)}</strong> tokens, <strong>{costText(spent)}</strong>.
        {wouldCost !== undefined && (
          <>
            {" "}
            With {wouldCost.model}: <strong>{priceText(wouldCost.costUsd)}</strong>.
          </>
        )}
        {compared !== undefined && (
          <>
            {" "}
            Asking it {compared.answers} times cost {costText(compared.spent)}.
          </>
        )}
      </p>
      <Divergences divergences={divergences} />
      <Calls title="Refused by these rules" calls={refused} />
      <Calls title="A person would be asked" calls={asked} />
      {more > 0 && <p class="muted">{more} more are left out.</p>}
      {notes.map((note) => (
        <p key={note} class="muted">
          <SafeText text={note} />
        </p>
      ))}
    </div>
  );
}

function priceText(usd: number | null): string {
  return usd === null ? "its price is unknown" : `$${usd.toFixed(4)}`;
}

function Divergences({ divergences }: { readonly divergences: readonly Divergence[] }) {
  return divergences.map(({ eventId, step, recorded, replayed }) => (
    <section key={`${eventId} ${step}`} class="card" aria-label={`Divergence in step ${step}`}>
      <p>
        Step {step} · <EventLink eventId={eventId} />
      </p>
      <div class="session-replay-sides">
        <figure>
          <figcaption class="muted">recorded</figcaption>
          <pre>
            <SafeText text={recorded} />
          </pre>
        </figure>
        <figure>
          <figcaption class="muted">replayed</figcaption>
          <pre>
            <SafeText text={replayed} />
          </pre>
        </figure>
      </div>
    </section>
  ));
}

function Calls({ title, calls }: { readonly title: string; readonly calls: readonly Judged[] }) {
  if (calls.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {calls.map((call) => (
          <li key={`${call.eventId} ${call.resource}`}>
            <SafeText text={call.title} oneLine /> <Badge>{call.verb}</Badge>{" "}
            <span class="muted">
              by {call.rules.join(", ")}; then {call.was} · <EventLink eventId={call.eventId} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function EventLink({ eventId }: { readonly eventId: string }) {
  return <Link to={`/ui/audit/event/${encodeURIComponent(eventId)}`}>event</Link>;
}
