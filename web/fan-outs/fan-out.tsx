import { useEffect } from "preact/hooks";
import type { OutputOf } from "../../src/client/index.ts";
import { confirmed, ErrorCard, Link, nomos, type PageProps, toast, useAction, useCall } from "../frame/index.ts";
import { Ago, Badge, Button } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { CandidateCard } from "./candidate.tsx";
import "./page.css";

type FanOut = OutputOf<"fan-out.show">;

/** What sessions do is no event of the outside. */
const LOOK_EVERY_MS = 2_000;
const OVERLAP_SHOWN = 20;

/** The candidates of one fan-out side by side, the best first. */
export function View({ params }: PageProps) {
  const id = params["id"] ?? "";
  const { value, error, again } = useCall("fan-out.show", { id }, { on: /^(?:fanout|landing)\./ });
  const isOpen = value?.candidates.some(({ state }) => MOVING.includes(state));
  useEffect(() => {
    if (isOpen !== true) return;
    const timer = setInterval(again, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isOpen, again]);
  if (error !== undefined && value === undefined)
    return (
      <div class="page">
        <ErrorCard error={error} again={again} />
      </div>
    );
  if (value === undefined) return <p class="muted loading">Loading …</p>;
  return (
    <div class="page fan-out">
      <FanOutHead fanOut={value} onChange={again} />
      <div class="fan-out-sides">
        {value.candidates.map((candidate) => (
          <CandidateCard key={candidate.sessionId} fanOut={value} candidate={candidate} onChange={again} />
        ))}
      </div>
      <Overlap fanOut={value} />
    </div>
  );
}

const MOVING: readonly string[] = ["opening", "working", "waiting", "judging", "landing", "dropping"];

function FanOutHead({ fanOut, onChange }: { readonly fanOut: FanOut; readonly onChange: () => void }) {
  const { id, name, state, prompt, repository, into, best, startedAt, candidates } = fanOut;
  const { run, isRunning } = useAction();
  const hasLanded = candidates.some((one) => one.landing?.state === "landed");
  const isLeft = candidates.some((one) => !["dropped", "landed", "failed"].includes(one.state));
  const isBusy = ["starting", "working"].includes(state) || candidates.some((one) => one.state === "landing");
  const drop = async (): Promise<void> => {
    const which = { id, ...(hasLanded ? {} : { all: true }) };
    const going = await run(() => nomos().call("fan-out.drop", { ...which, dryRun: true }));
    if (going === undefined) return;
    const files = going.dropped.reduce((sum, one) => sum + one.files.length + one.more, 0);
    const isSure = await confirmed({
      title: `Drop ${going.count} ${going.count === 1 ? "candidate" : "candidates"}?`,
      body: `Their sessions end and their worktrees go, with ${files} changed files. Where a session kept snapshots, a fork brings its files back.`,
      yes: "Drop them",
      danger: true,
    });
    if (!isSure) return;
    const dropped = await run(() => nomos().call("fan-out.drop", which));
    if (dropped !== undefined) toast(`Dropped ${dropped.count}.`);
    onChange();
  };
  return (
    <>
      <header class="page-head">
        <h1>
          <Link to="/ui/fan-outs">Fan-outs</Link> / {name}
        </h1>
        <Badge kind={state === "failed" ? "bad" : state === "working" ? "accent" : "good"}>{state}</Badge>
        {isLeft && !isBusy && (
          <Button kind="quiet" disabled={isRunning} onClick={() => void drop()}>
            {hasLanded ? "Drop the others" : "Drop all"}
          </Button>
        )}
      </header>
      <p class="fan-out-prompt">{prompt === null ? "The prompt was erased." : <SafeText text={prompt} />}</p>
      <p class="muted">
        <SafeText text={repository} strict oneLine />
        {into !== null && (
          <>
            {" "}
            onto <SafeText text={into} strict oneLine />
          </>
        )}
        , <Ago at={startedAt} /> ago{best !== null && `. Best: ${best.name}, ${best.reason}`}
      </p>
    </>
  );
}

function Overlap({ fanOut: { overlap, overlapMore, candidates } }: { readonly fanOut: FanOut }) {
  if (overlap.length === 0) return null;
  const nameOf = (id: string): string => candidates.find(({ sessionId }) => sessionId === id)?.name ?? id;
  return (
    <details class="fan-out-overlap">
      <summary>{overlap.length + overlapMore} files were changed by more than one</summary>
      <ul>
        {overlap.slice(0, OVERLAP_SHOWN).map(({ path, sessions }) => (
          <li key={path}>
            <code>
              <SafeText text={path} strict oneLine />
            </code>{" "}
            <span class="muted">{sessions.map(nameOf).join(", ")}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
