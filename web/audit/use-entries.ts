import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { LogEvent } from "../../src/client/index.ts";
import { nomos } from "../frame/index.ts";
import { type Chosen, timeOf } from "./chosen.ts";

interface Listed {
  /** Newest first. */
  readonly entries: readonly LogEvent[];
  /** Where older ones begin; null when there are none. */
  readonly next: number | null;
  readonly isLoading: boolean;
  readonly error?: unknown;
}

const PAGE = 200;
const FRESH_MS = 4_000;
const FRESH_MAX = 200;

/** The log by page, newest first. While the page is in sight, new events come on top. */
export function useEntries(chosen: Chosen): Listed & { readonly older: () => void; readonly again: () => void } {
  const [listed, setListed] = useState<Listed>({ entries: [], next: null, isLoading: true });
  const [round, setRound] = useState(0);
  const current = useRef(listed);
  current.current = listed;
  const key = JSON.stringify(chosen);
  const asked = useRef(chosen);
  asked.current = chosen;

  useEffect(() => {
    let isLeft = false;
    setListed((before) => ({ ...before, isLoading: true }));
    page(asked.current, null).then(
      (first) => isLeft || setListed({ ...first, isLoading: false }),
      (error: unknown) => isLeft || setListed({ entries: [], next: null, isLoading: false, error }),
    );
    const timer = setInterval(() => {
      const [newest] = current.current.entries;
      if (document.visibilityState !== "visible" || current.current.isLoading || newest === undefined) return;
      fresh(asked.current, newest.seq).then(
        (found) => {
          if (isLeft || found.length === 0 || current.current.entries[0] !== newest) return;
          setListed((before) => ({ ...before, entries: [...found, ...before.entries] }));
        },
        // The connection bar already says that the daemon is away; the next round asks again.
        () => undefined,
      );
    }, FRESH_MS);
    return () => {
      isLeft = true;
      clearInterval(timer);
    };
  }, [key, round]);

  const older = useCallback(() => {
    const { next, isLoading, entries } = current.current;
    if (next === null || isLoading) return;
    setListed((before) => ({ ...before, isLoading: true }));
    page(asked.current, next).then(
      (more) =>
        current.current.entries === entries &&
        setListed({ entries: [...entries, ...more.entries], next: more.next, isLoading: false }),
      (error: unknown) => setListed((before) => ({ ...before, isLoading: false, error })),
    );
  }, []);
  const again = useCallback(() => setRound((now) => now + 1), []);
  return { ...listed, older, again };
}

async function page(chosen: Chosen, after: number | null): Promise<Pick<Listed, "entries" | "next">> {
  const range = { order: "desc" as const, limit: PAGE, ...(after === null ? {} : { after }) };
  return chosen.agent === ""
    ? nomos().call("audit.entries", { ...filters(chosen), ...range })
    : nomos().call("audit.agent", { id: chosen.agent, ...range });
}

async function fresh(chosen: Chosen, after: number): Promise<readonly LogEvent[]> {
  const range = { after, limit: FRESH_MAX };
  const { entries } =
    chosen.agent === ""
      ? await nomos().call("audit.entries", { ...filters(chosen), ...range })
      : await nomos().call("audit.agent", { id: chosen.agent, ...range });
  return entries.toReversed();
}

function filters({ type, stream, actor, from, until }: Chosen) {
  const [since, end] = [timeOf(from), timeOf(until)];
  return {
    ...(type === "" ? {} : { types: [type] }),
    ...(stream === "" ? {} : { stream }),
    ...(actor === "" ? {} : { actor }),
    ...(since === null ? {} : { from: since }),
    ...(end === null ? {} : { until: end }),
  };
}
