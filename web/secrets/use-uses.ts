import { useEffect, useState } from "preact/hooks";
import { nomos } from "../frame/index.ts";
import { onEvents, serverNow } from "../live/index.ts";

export const USED = "secret.used@1";
export const USES_DAYS = 30;

const DAY_MS = 86_400_000;
const PAGE_EVENTS = 1000;
const PAGES_MAX = 20;

/** The times of all uses in the last days, the newest first; null while they are read for the first time. */
export function useUses(): { readonly times: readonly string[] | null; readonly isCut: boolean } {
  const [read, setRead] = useState<{ readonly times: readonly string[]; readonly isCut: boolean } | null>(null);
  useEffect(() => {
    const leave = new AbortController();
    readUses(leave.signal).then(
      (found) => leave.signal.aborted || setRead(found),
      // A sign-in that may not read the log has no plot.
      () => leave.signal.aborted || setRead(null),
    );
    const stop = onEvents((events) => {
      const added = events.filter(({ type }) => type === USED).map(({ at }) => at);
      if (added.length > 0)
        setRead((before) => (before === null ? null : { ...before, times: [...added, ...before.times] }));
    });
    return () => {
      leave.abort();
      stop();
    };
  }, []);
  return { times: read?.times ?? null, isCut: read?.isCut ?? false };
}

async function readUses(signal: AbortSignal): Promise<{ readonly times: readonly string[]; readonly isCut: boolean }> {
  const times: string[] = [];
  const from = new Date(serverNow() - USES_DAYS * DAY_MS).toISOString();
  let after: number | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const cursor = after === undefined ? {} : { after: String(after) };
    const input = { types: [USED], from, order: "desc", limit: PAGE_EVENTS, ...cursor } as const;
    const { entries, next } = await nomos().call("audit.entries", input, { signal });
    times.push(...entries.map(({ at }) => at));
    if (next === null) return { times, isCut: false };
    after = next;
  }
  return { times, isCut: true };
}
