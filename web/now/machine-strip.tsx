import { useEffect, useMemo } from "preact/hooks";
import { Link, useCall } from "../frame/index.ts";
import type { Row } from "../live/index.ts";
import { bytesText, countText } from "../parts/index.ts";

const LOOK_MS = 15_000;

/** Totals of what is on the board, and how the daemon is. */
export function MachineStrip({ sessions }: { readonly sessions: readonly Row[] }) {
  const { value, again } = useCall("system.status", {});
  useEffect(() => {
    const timer = setInterval(again, LOOK_MS);
    return () => clearInterval(timer);
  }, [again]);
  const total = useMemo(() => totalOf(sessions), [sessions]);
  return (
    <footer class="strip muted">
      <span>{countText(total.tokens)} tokens</span>
      <span>{total.cost === null ? "no agent reports cost" : `$${total.cost.toFixed(2)}`}</span>
      {value !== undefined && (
        <>
          <span>
            load {value.machine.load ?? "–"} of {value.machine.cores} cores
          </span>
          <span>{bytesText(value.machine.memoryFreeBytes)} memory free</span>
          <span>
            {bytesText(value.disk.freeBytes)} disk free{value.disk.level === "enough" ? "" : `: ${value.disk.level}`}
          </span>
          <span>{countText(value.events)} events</span>
          <Link to="/ui/system">Nomos {value.version}</Link>
        </>
      )}
    </footer>
  );
}

function totalOf(sessions: readonly Row[]): { readonly tokens: number; readonly cost: number | null } {
  let tokens = 0;
  let cost: number | null = null;
  for (const { spent } of sessions) {
    if (spent === undefined) continue;
    tokens += spent.input + spent.output + spent.cacheRead + spent.cacheWrite;
    if (spent.costUsd !== null) cost = (cost ?? 0) + spent.costUsd;
  }
  return { tokens, cost };
}
