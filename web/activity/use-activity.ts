import { useEffect, useState } from "preact/hooks";
import { nomos } from "../frame/index.ts";
import { serverNow } from "../live/index.ts";
import type { Part, Range, Worked } from "./sums.ts";

export interface Sums extends Range {
  readonly parts: readonly Part[];
  readonly working: readonly Worked[];
  /** Older parts are still being read. */
  readonly isPartly: boolean;
}

const AGAIN_MS = 60_000;
/** One part holds a hundred thousand events at most. */
const PARTS_MAX = 500;

/** The sums of a span up to now; read again every minute. What was read stays until something newer is there. */
export function useActivity(spanMs: number, step: 15 | 60): { readonly sums: Sums | null; readonly error: unknown } {
  const [sums, setSums] = useState<Sums | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    setSums(null);
    const leave = new AbortController();
    const show = (read: Sums, isFirst: boolean): void => {
      if (!leave.signal.aborted && (isFirst || !read.isPartly)) setSums(read);
    };
    const read = async (isFirst: boolean): Promise<void> => {
      const range = { sinceMs: serverNow() - spanMs, untilMs: serverNow() };
      try {
        for await (const sums of readParts(range, step, leave.signal)) show(sums, isFirst);
        setError(null);
      } catch (thrown) {
        if (!leave.signal.aborted) setError(thrown);
      }
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const goOn = async (isFirst: boolean): Promise<void> => {
      await read(isFirst);
      if (!leave.signal.aborted) timer = setTimeout(() => void goOn(false), AGAIN_MS);
    };
    void goOn(true);
    return () => {
      leave.abort();
      clearTimeout(timer);
    };
  }, [spanMs, step]);
  return { sums, error };
}

async function* readParts(range: Range, step: 15 | 60, signal: AbortSignal): AsyncGenerator<Sums> {
  const [parts, working]: [Part[], Worked[]] = [[], []];
  const since = new Date(range.sinceMs).toISOString();
  let after: number | undefined;
  for (let read = 0; read < PARTS_MAX; read += 1) {
    const input = { since, step, ...(after === undefined ? {} : { after }) };
    const part = await nomos().call("system.activity", input, { signal });
    parts.push(...part.parts);
    working.push(...part.working);
    yield { ...range, parts, working, isPartly: part.next !== null };
    if (part.next === null) return;
    after = part.next;
  }
}
