import { useEffect, useState } from "preact/hooks";
import { ErrorCard, navigate, type PageProps, useCall, useKeys } from "../frame/index.ts";
import { type Landing, LandingCard, linesOf } from "../landing/index.ts";
import { Button, Empty, Select } from "../parts/index.ts";
import { QueueLine } from "./queue-line.tsx";

const FRESH = { on: /^(?:landing|approval)\./ };
/** Which check runs is no event. */
const LOOK_EVERY_MS = 2_000;
const OPEN_MAX = 500;
const HISTORY_PAGE = 50;
const HISTORY_MAX = 500;
const STATES = [
  ["all", "all"],
  ["landed", "landed"],
  ["refused", "refused"],
  ["ejected", "ejected"],
] as const;

/** What is on its way to a branch, what needs a person, and what came of the rest. */
export function View({ query }: PageProps) {
  const queued = useCall("landing.list", { state: "open", limit: OPEN_MAX }, FRESH);
  const refused = useCall("landing.list", { state: "refused", limit: OPEN_MAX }, FRESH);
  const [state, setState] = useState<State>("all");
  const [count, setCount] = useState(HISTORY_PAGE);
  const history = useCall("landing.list", { ...(state === "all" ? {} : { state }), limit: count }, FRESH);
  const open = queued.value?.landings ?? [];
  const isChecking = open.some((one) => one.state === "checking");
  useLooks(isChecking, queued.again);
  const lines = linesOf(open);
  const stuck = (refused.value?.landings ?? []).filter(({ waitsFor }) => waitsFor === "person");
  const past = (history.value?.landings ?? []).filter((landing) => isOver(landing, stuck));
  const shown: readonly Landing[] = [...stuck, ...lines.flatMap(({ landings }) => landings), ...past];
  const chosen = query.get("id");
  const toggle = (id: string): void =>
    navigate(id === chosen ? "/ui/landings" : `/ui/landings?id=${encodeURIComponent(id)}`, { replace: true });
  const current = useCursor(shown, toggle);
  const error = queued.error ?? history.error;
  if (error !== undefined && queued.value === undefined)
    return (
      <div class="page">
        <ErrorCard error={error} again={queued.again} />
      </div>
    );
  if (queued.value === undefined || history.value === undefined) return <p class="muted loading">Loading …</p>;
  const marks = { current, open: chosen, onToggle: toggle };
  const hasMore = history.value.next !== null && count < HISTORY_MAX;
  return (
    <div class="page landings">
      <header class="page-head">
        <h1>Landings</h1>
      </header>
      {shown.length === 0 && state === "all" && <Nothing />}
      {stuck.length > 0 && (
        <section aria-label="Refused, for you to mend">
          <h2>{stuck.length === 1 ? "One refusal needs you" : `${stuck.length} refusals need you`}</h2>
          <Cards landings={stuck} {...marks} />
        </section>
      )}
      {lines.map((line) => (
        <QueueLine key={line.key} line={line} {...marks} onChange={queued.again} />
      ))}
      {(past.length > 0 || state !== "all") && (
        <section aria-label="History">
          <HistoryHead state={state} onChoose={setState} />
          <Cards landings={past} {...marks} />
          {past.length === 0 && <p class="muted">No other one is {state}.</p>}
          {hasMore && <Button onClick={() => setCount(Math.min(HISTORY_MAX, count + HISTORY_PAGE))}>Show more</Button>}
        </section>
      )}
    </div>
  );
}

type State = (typeof STATES)[number][0];

function isOver({ id, state }: Landing, stuck: readonly Landing[]): boolean {
  return state !== "queued" && state !== "checking" && !stuck.some((one) => one.id === id);
}

function Nothing() {
  return (
    <Empty title="Nothing has landed yet" command="nomos land SESSION">
      Finished work of a session’s worktree reaches a branch through one gate and the branch’s queue. Land a session
      from its menu here, or on the command line.
    </Empty>
  );
}

interface CardsProps {
  readonly landings: readonly Landing[];
  readonly current: string | null;
  readonly open: string | null;
  readonly onToggle: (id: string) => void;
}

function Cards({ landings, current, open, onToggle }: CardsProps) {
  return (
    <ul class="landing-list">
      {landings.map((landing) => (
        <LandingCard
          key={landing.id}
          landing={landing}
          isCurrent={landing.id === current}
          isOpen={landing.id === open}
          onToggle={() => onToggle(landing.id)}
        />
      ))}
    </ul>
  );
}

function HistoryHead({ state, onChoose }: { readonly state: State; readonly onChoose: (state: State) => void }) {
  return (
    <div class="landing-history">
      <h2>History</h2>
      <Select
        label="Show"
        value={state}
        options={STATES}
        onChange={(value) => onChoose(STATES.find(([name]) => name === value)?.[0] ?? "all")}
      />
    </div>
  );
}

function useLooks(isChecking: boolean, again: () => void): void {
  useEffect(() => {
    if (!isChecking) return;
    const timer = setInterval(again, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isChecking, again]);
}

/** The landing under the cursor, by its id: rows move. */
function useCursor(shown: readonly Landing[], toggle: (id: string) => void): string | null {
  const [current, setCurrent] = useState<string | null>(null);
  const at = shown.findIndex(({ id }) => id === current);
  const move = (step: number): void => {
    const to = shown[Math.max(0, Math.min(shown.length - 1, at + step))]?.id ?? null;
    setCurrent(to);
    document.getElementById(`landing-${to}`)?.scrollIntoView({ block: "nearest" });
  };
  useKeys({
    j: { does: "Next landing", run: () => move(1) },
    k: { does: "Landing before", run: () => move(-1) },
    Enter: { does: "Show or fold the landing", run: () => current !== null && toggle(current) },
  });
  return current;
}
