import { setTimeout as sleep } from "node:timers/promises";
import { type Figure, percentile, timedMs } from "../harness.ts";
import type { Arena } from "./arena.ts";
import { bareContender } from "./bare.ts";
import type { Conversation, Running } from "./contender.ts";
import { type RunningNomos, startNomos } from "./nomos.ts";
import { promptOf, type Task } from "./task.ts";

const SESSIONS = 200;
const QUICK_SESSIONS = 20;
const AT_A_TIME = 8;
const ANSWER = { firstMs: 500, pieces: 200, pieceMs: 50 };
const QUICK_ANSWER = { firstMs: 500, pieces: 40, pieceMs: 50 };
/** The daemon's own figure covers the time since it was last read, if that was longer ago than this. */
const LAG_WINDOW_MS = 10_500;
const PROBE_EVERY_MS = 50;

/** Many sessions whose answers stream at the same time, each with a reader, against bare clients of the same model. */
export async function measureStreaming(arena: Arena): Promise<readonly Figure[]> {
  const { bench, setting } = arena;
  const count = bench.quick ? QUICK_SESSIONS : SESSIONS;
  const answer = bench.quick ? QUICK_ANSWER : ANSWER;
  const idealMs = answer.firstMs + (answer.pieces - 1) * answer.pieceMs;
  const bare = await bareContender(setting).start();
  const theirs = await runAll(arena, await openAll(arena, bare, count), answer);
  await using nomos = await startNomos(setting, "nomos-streaming");
  const sessions = await openAll(arena, nomos, count);
  await sleep(LAG_WINDOW_MS);
  await lagMs(nomos);
  await sleep(LAG_WINDOW_MS / 10);
  const idle = await lagMs(nomos);
  const probes = probe(nomos.port);
  const ours = await runAll(arena, sessions, answer);
  const answered = await probes.end();
  const busy = await lagMs(nomos);
  const piecesInAll = count * answer.pieces;
  return [
    {
      name: `engine.streaming.${count}`,
      what: `${count} sessions that stream ${answer.pieces} pieces, ${answer.pieceMs} ms apart, at the same time and each to a reader: from the first prompt until the last turn has ended`,
      unit: "ms",
      value: ours.totalMs,
      baseline: { what: `${count} bare clients`, value: theirs.totalMs },
      aim: null,
      details: { idealMs, pieces: piecesInAll, deltas: ours.deltas, bareDeltas: theirs.deltas },
    },
    {
      name: `engine.streaming.${count}.lag`,
      what: "how late the daemon's event loop was meanwhile, p99, by its own metrics (its clock ticks every 20 ms, which counts)",
      unit: "ms",
      value: busy.p99,
      baseline: { what: "at rest", value: idle.p99 },
      aim: null,
      details: {
        max: busy.max,
        mean: busy.mean,
        healthP50: percentile(answered, 50),
        healthP99: percentile(answered, 99),
      },
    },
  ];
}

async function runAll({ model }: Arena, opened: readonly Opened[], answer: Answer): Promise<Run> {
  let deltas = 0;
  await using watching = new AsyncDisposableStack();
  const count = (): void => {
    deltas += 1;
  };
  for (const { session } of opened) watching.use(await session.watch(count));
  const prompted = opened.map(
    ({ name, session }) =>
      () =>
        session.prompt(promptOf({ conversation: name, ...answer })),
  );
  const totalMs = await timedMs(() => Promise.all(prompted.map((prompt) => prompt())));
  const asked = await Promise.all(opened.map(({ name }) => model.records(name)));
  const complete = asked.filter((records) => records.some(({ reply }) => reply === "text"));
  if (complete.length !== opened.length) throw new Error(`only ${complete.length} of ${opened.length} completed`);
  return { totalMs, deltas };
}

type Answer = Pick<Task, "firstMs" | "pieces" | "pieceMs">;

interface Run {
  readonly totalMs: number;
  /** Pieces may arrive together: a reader that is behind gets fewer, longer ones. */
  readonly deltas: number;
}

interface Opened {
  readonly name: string;
  readonly session: Conversation;
}

/** Each has done a turn, so that what follows is streaming alone. */
async function openAll({ conversation, model }: Arena, running: Running, count: number): Promise<readonly Opened[]> {
  const opened: Opened[] = [];
  const names = Array.from({ length: count }, conversation);
  const work = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      opened.push({ name, session: await running.begin(promptOf({ conversation: name })) });
      await model.records(name);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return opened;
}

async function lagMs({ port, token }: RunningNomos): Promise<{ readonly [stat in "mean" | "p99" | "max"]: number }> {
  const headers = { authorization: `Bearer ${token}` };
  const text = await (await fetch(`http://127.0.0.1:${port}/api/metrics`, { headers })).text();
  const stat = (name: string): number => {
    const found = new RegExp(`^nomos_event_loop_lag_seconds\\{[^}]*stat="${name}"[^}]*\\} (\\S+)$`, "m").exec(
      text,
    )?.[1];
    if (found === undefined) throw new Error("the daemon's metrics have no event loop lag");
    return Number(found) * 1000;
  };
  return { mean: stat("mean"), p99: stat("p99"), max: stat("max") };
}

/** How long a health request takes: the lag as a client sees it. */
function probe(port: number): { readonly end: () => Promise<readonly number[]> } {
  const taken: number[] = [];
  const over = new AbortController();
  const asking = (async () => {
    while (!over.signal.aborted) {
      taken.push(await timedMs(async () => (await fetch(`http://127.0.0.1:${port}/health`)).arrayBuffer()));
      await sleep(PROBE_EVERY_MS);
    }
  })();
  return {
    end: async () => {
      over.abort();
      await asking;
      return taken;
    },
  };
}
