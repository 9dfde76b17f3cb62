import { ErrorCard, navigate, type PageProps, useKeys } from "../frame/index.ts";
import { serverNow } from "../live/index.ts";
import { Empty } from "../parts/index.ts";
import { Machine } from "./machine.tsx";
import { Sessions } from "./sessions.tsx";
import { Spending } from "./spending.tsx";
import { useActivity } from "./use-activity.ts";
import "./page.css";

const HOUR_MS = 3_600_000;
const RANGES = [
  { id: "24h", name: "24 hours", spanMs: 24 * HOUR_MS, unit: "hour", workingStepMs: HOUR_MS / 4 },
  { id: "7d", name: "7 days", spanMs: 7 * 24 * HOUR_MS, unit: "day", workingStepMs: HOUR_MS },
  { id: "30d", name: "30 days", spanMs: 30 * 24 * HOUR_MS, unit: "day", workingStepMs: 4 * HOUR_MS },
] as const;
type RangeChoice = (typeof RANGES)[number];

export function View({ query }: PageProps) {
  const range = RANGES.find(({ id }) => id === query.get("range")) ?? RANGES[1];
  const { sums, error } = useActivity(range.spanMs, stepFor(range));
  const choose = ({ id }: RangeChoice): void => navigate(`/ui/activity?range=${id}`, { replace: true });
  useKeys({
    1: { does: "The last 24 hours", run: () => choose(RANGES[0]) },
    2: { does: "The last 7 days", run: () => choose(RANGES[1]) },
    3: { does: "The last 30 days", run: () => choose(RANGES[2]) },
  });
  return (
    <div class="page activity">
      <header class="page-head">
        <h1>Activity</h1>
        <fieldset class="activity-ranges" aria-label="Time">
          {RANGES.map((one) => (
            <button key={one.id} type="button" aria-pressed={one === range} onClick={() => choose(one)}>
              {one.name}
            </button>
          ))}
        </fieldset>
        <span class="muted">Times in {zoneName()}</span>
      </header>
      {error !== null && <ErrorCard error={error} />}
      <div class="activity-cards">
        {sums === null && error === null && <p class="muted activity-wide">Summing up the turns …</p>}
        {sums?.parts.length === 0 && !sums.isPartly && <NoTurns name={range.name} />}
        {sums !== null && sums.parts.length > 0 && (
          <Spending sums={sums} unit={range.unit} workingStepMs={range.workingStepMs} />
        )}
        <Sessions sinceMs={sums?.sinceMs ?? serverNow() - range.spanMs} />
        <Machine />
      </div>
    </div>
  );
}

function NoTurns({ name }: { readonly name: string }) {
  return (
    <div class="card activity-wide">
      <Empty title={`No turn ended in the last ${name}`} command="nomos run 'say hello'">
        Each turn of an agent is counted here: when it worked, and what it cost if the agent reports it.
      </Empty>
    </div>
  );
}

/** Hours of the daemon are no hours of the browser where its zone is a half or a quarter off. */
function stepFor({ workingStepMs }: RangeChoice): 15 | 60 {
  const isOff = new Date().getTimezoneOffset() % 60 !== 0;
  return isOff || workingStepMs < HOUR_MS ? 15 : 60;
}

function zoneName(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
