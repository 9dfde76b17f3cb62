import { useMemo } from "preact/hooks";
import { serverNow } from "../live/index.ts";
import { Bars } from "../parts/index.ts";
import { usesByDay } from "./of-secrets.ts";
import { USES_DAYS, useUses } from "./use-uses.ts";

/** How often secrets were handed to a process, by day. */
export function Uses() {
  const { times, isCut } = useUses();
  const bars = useMemo(() => (times === null ? [] : usesByDay(times, serverNow(), USES_DAYS)), [times]);
  if (times === null) return null;
  return (
    <section class="card" aria-labelledby="secrets-uses">
      <h2 id="secrets-uses">Uses</h2>
      {times.length === 0 ? (
        <p class="muted">No secret was used in the last {USES_DAYS} days.</p>
      ) : (
        <Bars label={`Uses a day, ${times.length} in the last ${USES_DAYS} days`} bars={bars} />
      )}
      {isCut && <p class="muted">Only the newest {times.length} are counted.</p>}
    </section>
  );
}
