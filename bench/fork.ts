import { LIMITS } from "../src/kernel/index.ts";
import { startSession } from "./api-client.ts";
import { startDaemon } from "./daemon.ts";
import { type Benchmark, type Figure, interleave, median, percentile, timedMs } from "./harness.ts";

/** The distance between fold snapshots; the event right before the next one costs most. */
const LONGEST_FOLD = LIMITS.snapshotEveryEvents;
const EVENTS = 7816 * LONGEST_FOLD - 1;
const QUICK_EVENTS = 784 * LONGEST_FOLD - 1;

/** Forks through a running daemon: admission, fold, decision, append, flush and the answer over HTTP. */
export const forkBenchmark: Benchmark = {
  name: "fork",
  run: async ({ homes, product, quick, scratch }) => {
    const { home, sessionId, events } = await homes.history(quick ? QUICK_EVENTS : EVENTS);
    await using daemon = await startDaemon(await product(), home);
    const { api } = daemon;
    const fresh = await startSession(api, scratch, "say hello");
    const fork = (id: string, at?: string) => () =>
      timedMs(() => api.call("POST", `/sessions/${id}/fork`, at === undefined ? {} : { at }));
    const firstMs = await fork(sessionId)();
    const inTheMiddle = await eventAfter(api, sessionId, LONGEST_FOLD * Math.floor(events / 2 / LONGEST_FOLD) - 2);
    await interleave(5, {
      warmLong: fork(sessionId),
      warmShort: fork(fresh),
      warmMiddle: fork(sessionId, inTheMiddle),
    });
    const samples = await interleave(quick ? 20 : 100, {
      long: fork(sessionId),
      short: fork(fresh),
      middle: fork(sessionId, inTheMiddle),
    });
    const baseline = { what: "fork of a new session", value: median(samples.short) };
    const figure = (name: string, what: string, taken: readonly number[], atMost: number): Figure => ({
      name,
      what: `${what} of a session with ${events} events, over HTTP`,
      unit: "ms",
      value: median(taken),
      baseline,
      aim: { valueAtMost: atMost },
      details: { p99: percentile(taken, 99), firstMs, forks: taken.length },
    });
    return [
      figure("fork.head", "fork at the head", samples.long, 2),
      figure("fork.middle", "fork at an event in the middle", samples.middle, 4),
    ];
  },
};

async function eventAfter(
  api: { readonly call: (method: "GET", path: string) => Promise<Record<string, unknown>> },
  sessionId: string,
  seq: number,
): Promise<string> {
  const { events } = await api.call("GET", `/sessions/${sessionId}/events?after=${seq}&limit=1`);
  const first: unknown = Array.isArray(events) ? events[0] : null;
  if (typeof first !== "object" || first === null || !("id" in first)) throw new Error("no event in the middle");
  return String(first.id);
}
