import { useEffect, useState } from "preact/hooks";
import type { LogEvent, OutputOf } from "../../src/client/index.ts";
import { ErrorCard, nomos } from "../frame/index.ts";
import { Badge, Copy, Icon } from "../parts/index.ts";
import { Code } from "../text/index.ts";
import { shownStep } from "./proof/shown-event.ts";
import { type Step, type Verdict, verifyEvent, worst } from "./proof/verify-event.ts";
import type { Witnessed } from "./proof/witness.ts";

const HEADS = {
  good: ["Proved in this browser", "good"],
  bad: ["The proof does not hold", "bad"],
  unknown: ["Not proved", "warn"],
} as const;

interface Proved {
  readonly verdict: Verdict;
  readonly proof: OutputOf<"audit.proof">;
}

/** Asks for a proof and checks it here, step by step. */
export function ProofView({
  event,
  witnessed,
}: {
  readonly event: LogEvent;
  readonly witnessed: Witnessed | undefined;
}) {
  const eventId = event.id;
  const [proved, setProved] = useState<Proved | null>(null);
  const [error, setError] = useState<unknown>(undefined);
  const [round, setRound] = useState(0);
  const key = witnessed?.remembered?.key;
  useEffect(() => {
    if (witnessed === undefined) return;
    let isLeft = false;
    prove(eventId, key ?? null).then(
      (found) => isLeft || setProved(found),
      (thrown: unknown) => isLeft || setError(thrown),
    );
    return () => {
      isLeft = true;
    };
  }, [eventId, key, witnessed === undefined, round]);
  if (error !== undefined)
    return (
      <ErrorCard
        error={error}
        again={() => {
          setError(undefined);
          setRound(round + 1);
        }}
      />
    );
  if (proved === null || witnessed === undefined) return <p class="muted">Asking for a proof and checking it …</p>;
  const { verdict, proof } = proved;
  const steps = [...verdict.steps, shownStep(event, verdict, proof.seq), keyStep(witnessed)];
  return <Steps is={worst(steps)} steps={steps} proof={proof} />;
}

async function prove(eventId: string, known: string | null): Promise<Proved> {
  const proof = await nomos().call("audit.proof", { eventId });
  // The key this browser saw first counts, whatever the daemon names now.
  const key = known ?? (await nomos().call("audit.checkpoint", {})).key;
  return { proof, verdict: await verifyEvent(eventId, proof, key) };
}

function keyStep({ is, says, remembered }: Witnessed): Step {
  const name = "The log is the one this browser knows";
  if (is === "alarm") return { name, is: "bad", says };
  if (is === "unknown") return { name, is: "unknown", says };
  return { name, is: "good", says: is === "first" ? says : `${says} Key ${remembered?.key.split("+")[1]}.` };
}

function Steps({
  is,
  steps,
  proof,
}: {
  readonly is: Step["is"];
  readonly steps: readonly Step[];
  readonly proof: OutputOf<"audit.proof">;
}) {
  const [head, kind] = HEADS[is];
  return (
    <section class={`audit-card audit-proof audit-proof-${is}`} aria-labelledby="audit-proof">
      <h2 id="audit-proof" aria-live="polite">
        <Icon name={is === "good" ? "audit" : "warning"} /> {head}
      </h2>
      <ol class="audit-steps">
        {steps.map((step) => (
          <li key={step.name} class={`audit-step audit-step-${step.is}`}>
            <Badge kind={step.is === "good" ? "good" : step.is === "bad" ? "bad" : "warn"}>
              {step.is === "good" ? "holds" : step.is === "bad" ? "fails" : "open"}
            </Badge>
            <div>
              <strong>{step.name}</strong>
              <p class="muted">{step.says}</p>
            </div>
          </li>
        ))}
      </ol>
      <NotProved kind={kind} />
      <details>
        <summary>The answer that was checked</summary>
        <Code text={JSON.stringify(proof, null, 2)} language="json" />
      </details>
      <p class="muted">The same in a terminal:</p>
      <Copy text={`nomos audit proof ${proof.eventId} --json`} />
    </section>
  );
}

function NotProved({ kind }: { readonly kind: "good" | "bad" | "warn" }) {
  if (kind === "bad")
    return (
      <p>
        Do not rely on this event. The daemon, or somebody between it and you, shows something that was not signed.
        Export the log and check it elsewhere: <code>nomos audit export</code>, then <code>nomos-verify</code>.
      </p>
    );
  return (
    <details open>
      <summary>What this does not prove</summary>
      <ul class="audit-limits">
        <li>That the event is true: only that it was written, here and in this order, and not changed since.</li>
        <li>When it was written: the time is the one the daemon's clock showed.</li>
        <li>
          That the key is the right one: this browser took the first it saw. Compare it with keys/key.pub of the home.
        </li>
        <li>That nobody with the key signs another log for others: an anchor or a witness shows that.</li>
        <li>That this page's code is honest: it came from the same daemon. nomos-verify is a program of its own.</li>
      </ul>
    </details>
  );
}
