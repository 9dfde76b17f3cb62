import { useState } from "preact/hooks";
import type { OutputOf } from "../../src/client/index.ts";
import { confirmed, ErrorCard, Link, nomos, toast, useAction, useCall } from "../frame/index.ts";
import { Findings } from "../landing/index.ts";
import { Badge, Button, costText, Fact, tokensText } from "../parts/index.ts";
import { Diff, SafeText } from "../text/index.ts";

type FanOut = OutputOf<"fan-out.show">;
type Candidate = FanOut["candidates"][number];

interface CandidateProps {
  readonly fanOut: Pick<FanOut, "id" | "into">;
  readonly candidate: Candidate;
  readonly onChange: () => void;
}

const KINDS: { readonly [state: string]: "good" | "bad" | "warn" | "accent" } = {
  ...{ landed: "good", judged: "good", failed: "bad", ended: "warn", dropped: "warn", waiting: "warn" },
};
const CHECKS = { passed: "good", failed: "bad", "not run": "warn", none: "plain" } as const;

/** One candidate: what it made, what that cost, and whether it could land. */
export function CandidateCard({ fanOut, candidate, onChange }: CandidateProps) {
  const { sessionId, name, agent, model, state, rank, reason, checks, passes, findings, more, error, landing } =
    candidate;
  const [isShown, setShown] = useState(false);
  return (
    <section class="card fan-out-side" aria-label={`Candidate ${name ?? agent}`}>
      <h2>
        {rank !== undefined && <span class="muted">{rank}. </span>}
        <Link to={`/ui/session/${encodeURIComponent(sessionId)}`}>{name ?? "its session"}</Link>
      </h2>
      <p>
        <SafeText text={[agent, model].filter(Boolean).join(" · ")} strict oneLine />{" "}
        <Badge kind={KINDS[state] ?? "accent"}>{state}</Badge>{" "}
        {checks !== undefined && <Badge kind={CHECKS[checks]}>checks: {checks}</Badge>}
      </p>
      {reason !== undefined && (
        <p class="muted">
          <SafeText text={reason} />
        </p>
      )}
      {error !== undefined && (
        <p class="fan-out-error">
          <SafeText text={error.message} /> <code>{error.code}</code>
        </p>
      )}
      <Size candidate={candidate} />
      {findings.length > 0 && (
        <details>
          <summary>
            {findings.length + (more ?? 0)} {findings.length + (more ?? 0) === 1 ? "finding" : "findings"}
          </summary>
          <Findings findings={findings} more={more} />
        </details>
      )}
      {landing !== undefined && (
        <p>
          <Link to={`/ui/landings?id=${encodeURIComponent(landing.id)}`}>Landing: {landing.state}</Link>
        </p>
      )}
      <div class="fan-out-deeds">
        {state === "judged" && <LandCandidate {...{ fanOut, candidate, onChange }} isSafe={passes === true} />}
        {candidate.files !== undefined && candidate.files > 0 && state !== "dropped" && (
          <Button onClick={() => setShown(!isShown)}>{isShown ? "Hide the diff" : "Show the diff"}</Button>
        )}
      </div>
      {isShown && <CandidateDiff id={fanOut.id} session={sessionId} />}
    </section>
  );
}

function Size({ candidate: { files, added = 0, removed = 0, spent, turnMs } }: { readonly candidate: Candidate }) {
  return (
    <dl class="fan-out-facts">
      <Fact name="Files">{files === undefined ? "–" : `${files}, +${added} −${removed}`}</Fact>
      <Fact name="Time">{turnMs === undefined ? "–" : `${(turnMs / 1000).toFixed(1)} s`}</Fact>
      <Fact name="Tokens">{tokensText(spent)}</Fact>
      <Fact name="Cost">{costText(spent)}</Fact>
    </dl>
  );
}

function LandCandidate({
  fanOut: { id, into },
  candidate: { sessionId, name = "it" },
  isSafe,
  onChange,
}: CandidateProps & { readonly isSafe: boolean }) {
  const { run, isRunning } = useAction();
  const land = async (): Promise<void> => {
    const isSure = await confirmed({
      title: `Land ${name}${into === null ? "" : ` on ${into}`}?`,
      body: "It goes through the gate and the queue of the branch. The others are kept until you drop them.",
      yes: "Land it",
    });
    if (!isSure) return;
    const idempotencyKey = crypto.randomUUID();
    const done = await run(() => nomos().call("fan-out.land", { id, session: sessionId }, { idempotencyKey }));
    if (done !== undefined) toast(`Queued ${name}.`);
    onChange();
  };
  return (
    <Button kind={isSafe ? "primary" : "plain"} disabled={isRunning} onClick={() => void land()}>
      Land this one
    </Button>
  );
}

function CandidateDiff({ id, session }: { readonly id: string; readonly session: string }) {
  const { value, error, again } = useCall("fan-out.diff", { id, session });
  if (error !== undefined) return <ErrorCard error={error} again={again} />;
  const diff = value?.diffs[0];
  if (diff === undefined) return <p class="muted">Loading …</p>;
  return diff.patch === null ? (
    <p class="muted">{diff.why ?? "There is no diff."}</p>
  ) : (
    <Diff patch={diff.patch} strict />
  );
}
