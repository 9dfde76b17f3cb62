import { setTimeout as sleep } from "node:timers/promises";
import { type Figure, median, percentile } from "../harness.ts";
import { type Arena, compete, firstRequest, summed } from "./arena.ts";
import { nowMs } from "./clock.ts";
import { pieceOf, promptOf } from "./task.ts";

const ROUNDS = { warmUp: 5, measured: 60 };
const QUICK = { warmUp: 2, measured: 10 };
const ADDED_MAX_MS = 3;
/** The first piece comes when the engine has nothing else to do, as from a real model. */
const ANSWER = { firstMs: 60, pieces: 5, pieceMs: 10 };
const SHOWN_MAX_MS = 5000;
const LOOK_EVERY_MS = 5;
const FIRST_PIECE = pieceOf(0);

/** From the first piece that the model sends until a client of the engine has it. */
export async function measureFirstToken(arena: Arena): Promise<readonly Figure[]> {
  const { bench, model, conversation } = arena;
  const samples = await compete<number>(arena, bench.quick ? QUICK : ROUNDS, async (contender) => {
    await using opening = new AsyncDisposableStack();
    const running = opening.use(await contender.start());
    const name = conversation();
    const session = await running.begin(promptOf({ conversation: name }));
    let seenMs: number | null = null;
    const watched = await session.watch((text) => {
      if (text.includes(FIRST_PIECE)) seenMs ??= nowMs();
    });
    opening.use(watched);
    await model.records(name);
    const opened = opening.move();
    return {
      sample: async () => {
        seenMs = null;
        await session.prompt(promptOf({ conversation: name, ...ANSWER }));
        // opencode may show the pieces after the turn has ended.
        for (const endMs = nowMs() + SHOWN_MAX_MS; seenMs === null && nowMs() < endMs; ) await sleep(LOOK_EVERY_MS);
        const { firstMs } = firstRequest(await model.records(name));
        if (seenMs === null) throw new Error("no piece of the answer was shown");
        return seenMs - firstMs;
      },
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  });
  const medians = summed(samples, median);
  bench.say(`first token: ${[...medians].map(([name, ms]) => `${name} ${ms.toFixed(2)}`).join(", ")} ms`);
  const [nomos, bare] = [samples.get("nomos"), medians.get("bare")];
  if (nomos === undefined || bare === undefined) return [];
  const value = median(nomos);
  const peers = [...medians].filter(([name]) => name === "pi" || name === "opencode");
  return [
    {
      name: "engine.first-token",
      what: "from the first piece that the model sends until a client has it: ours on the session's stream, pi's on its pipe, opencode's on its event stream",
      unit: "ms",
      value,
      baseline: { what: "a bare client of the model", value: bare },
      // The aim is for the added time, whatever the sockets themselves take.
      aim: { valueAtMost: bare + ADDED_MAX_MS },
      details: { addedMs: value - bare, p95: percentile(nomos, 95), ...Object.fromEntries(peers) },
    },
  ];
}
