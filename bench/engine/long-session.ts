import { setTimeout as sleep } from "node:timers/promises";
import { type Figure, median, timedMs } from "../harness.ts";
import { type Arena, firstRequest } from "./arena.ts";
import { nowMs } from "./clock.ts";
import { type RunningNomos, startNomos } from "./nomos.ts";
import { type TreeMemory, treeMemory } from "./process-tree.ts";
import { promptOf } from "./task.ts";

const TURNS = 10_000;
const QUICK_TURNS = 300;
/** A session of all turns uses no more memory than after a tenth of them. */
const EARLY_SHARE = 0.1;
const GROWTH_RATIO_MAX = 1.1;
const RESUME_MAX_MS = 100;
const RESTARTS = 5;
const QUICK_RESTARTS = 1;
/** The session is as long as it has become by then, and the figures say how long. */
const ALL_TURNS_MAX_MS = 25 * 60_000;
const SAY_EVERY = 1000;
const SETTLE_MS = 5000;
const HOME = "nomos-long";

/** A session of very many turns: its memory stays flat, and a new daemon resumes it at once. */
export async function measureLongSession(arena: Arena): Promise<readonly Figure[]> {
  const { quick } = arena.bench;
  const grown = await grow(arena, quick ? QUICK_TURNS : TURNS);
  const resumed: number[] = [];
  const fresh: number[] = [];
  for (let round = 0; round < (quick ? QUICK_RESTARTS : RESTARTS); round += 1) {
    resumed.push(await afterRestart(arena, grown.name, (nomos, prompt) => nomos.resume(grown.id).prompt(prompt)));
    fresh.push(await afterRestart(arena, arena.conversation(), (nomos, prompt) => nomos.begin(prompt)));
  }
  const turns = grown.turnMs.length;
  const [head, tail] = [grown.turnMs.slice(0, turns * EARLY_SHARE), grown.turnMs.slice(-turns * EARLY_SHARE)];
  return [
    {
      name: "engine.turns.memory",
      what: `memory (PSS) of daemon and engine after ${turns} turns of one session`,
      unit: "MB",
      value: grown.late.pssMb,
      baseline: { what: `after ${head.length} turns`, value: grown.early.pssMb },
      aim: { ratioAtMost: GROWTH_RATIO_MAX },
      details: { turns, rssMb: grown.late.rssMb, earlyRssMb: grown.early.rssMb },
    },
    {
      name: "engine.turns.time",
      what: `a turn of one short answer, the last tenth of ${turns} turns, from the prompt until its end`,
      unit: "ms",
      value: median(tail),
      baseline: { what: "the first tenth", value: median(head) },
      aim: null,
      details: { askedMs: grown.askedMs },
    },
    {
      name: "engine.turns.resume",
      what: `from a prompt to a session of ${turns} turns until its request arrives, after a restart of the daemon`,
      unit: "ms",
      value: median(resumed),
      baseline: { what: "a new session after a restart", value: median(fresh) },
      aim: { valueAtMost: RESUME_MAX_MS },
      details: { restarts: resumed.length, awakeMs: grown.askedMs },
    },
  ];
}

interface Grown {
  readonly id: string;
  readonly name: string;
  readonly turnMs: readonly number[];
  readonly early: TreeMemory;
  readonly late: TreeMemory;
  /** From the last prompt until its request, without a restart. */
  readonly askedMs: number;
}

async function grow({ bench, conversation, model, setting }: Arena, turns: number): Promise<Grown> {
  await using nomos = await startNomos(setting, HOME);
  const name = conversation();
  const prompt = promptOf({ conversation: name });
  const session = await nomos.begin(prompt);
  const memory = async (): Promise<TreeMemory> => {
    await sleep(SETTLE_MS);
    return treeMemory([nomos.pid]);
  };
  const endMs = nowMs() + ALL_TURNS_MAX_MS;
  const turnMs: number[] = [];
  let early: TreeMemory | null = null;
  while (turnMs.length < turns && nowMs() < endMs) {
    turnMs.push(await timedMs(() => session.prompt(prompt)));
    if (turnMs.length === turns * EARLY_SHARE) early = await memory();
    if (turnMs.length % SAY_EVERY !== 0) continue;
    bench.say(`${turnMs.length} turns, the last thousand at ${median(turnMs.slice(-SAY_EVERY)).toFixed(1)} ms each`);
    await model.records(name);
  }
  if (early === null)
    throw new Error(`only ${turnMs.length} of ${turns} turns in ${ALL_TURNS_MAX_MS / 60_000} minutes`);
  const late = await memory();
  await model.records(name);
  const startMs = nowMs();
  await session.prompt(prompt);
  const askedMs = firstRequest(await model.records(name)).atMs - startMs;
  return { id: session.id, name, turnMs, early, late, askedMs };
}

async function afterRestart(
  { model, setting }: Arena,
  name: string,
  ask: (nomos: RunningNomos, prompt: string) => Promise<unknown>,
): Promise<number> {
  await using nomos = await startNomos(setting, HOME);
  await sleep(SETTLE_MS);
  const startMs = nowMs();
  await ask(nomos, promptOf({ conversation: name }));
  return firstRequest(await model.records(name)).atMs - startMs;
}
