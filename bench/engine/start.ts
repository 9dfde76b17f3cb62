import { setTimeout as sleep } from "node:timers/promises";
import { type Figure, median } from "../harness.ts";
import { type Arena, compete, firstRequest, summed, versusPeers } from "./arena.ts";
import { nowMs } from "./clock.ts";
import type { Contender, Running } from "./contender.ts";
import { promptOf } from "./task.ts";

/** The first round also makes the home. */
const ROUNDS = { warmUp: 1, measured: 5 };
const QUICK = { warmUp: 1, measured: 1 };
/** Time for what a process still does after its first answer. */
const SETTLE_MS = 1500;

interface StartSample {
  readonly coldMs: number;
  readonly firstMs: number;
  readonly nextMs: number;
}

/** How long a person waits until the model is asked: with nothing running, with the server running, with a session before. */
export async function measureStart(arena: Arena): Promise<readonly Figure[]> {
  const samples = await compete(arena, arena.bench.quick ? QUICK : ROUNDS, async (contender) => ({
    sample: () => startSample(arena, contender),
    [Symbol.asyncDispose]: async () => undefined,
  }));
  const of = (what: keyof StartSample) => summed(samples, (taken) => median(taken.map((sample) => sample[what])));
  const figure = (name: string, what: string) => ({ name, what, unit: "ms", aim: null }) as const;
  return [
    ...versusPeers(
      arena,
      figure("engine.start.cold", "from the start of the process until the first request of its first session arrives"),
      of("coldMs"),
    ),
    ...versusPeers(
      arena,
      figure("engine.start", "the same from the prompt on, with the process up and no session before"),
      of("firstMs"),
    ),
    ...versusPeers(arena, figure("engine.start.next", "the same for its second session"), of("nextMs")),
  ];
}

async function startSample(arena: Arena, contender: Contender): Promise<StartSample> {
  const startMs = nowMs();
  let coldMs = 0;
  {
    await using running = await contender.start();
    coldMs = await askedAfter(arena, running, startMs);
  }
  await using running = await contender.start();
  await sleep(SETTLE_MS);
  const firstMs = await askedAfter(arena, running, nowMs());
  const nextMs = await askedAfter(arena, running, nowMs());
  return { coldMs, firstMs, nextMs };
}

async function askedAfter({ model, conversation }: Arena, running: Running, startMs: number): Promise<number> {
  const name = conversation();
  await running.begin(promptOf({ conversation: name }));
  return firstRequest(await model.records(name)).atMs - startMs;
}
