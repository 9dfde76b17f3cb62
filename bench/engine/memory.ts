import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../harness.ts";
import { type Arena, versusPeers } from "./arena.ts";
import type { Contender, ContenderName, Running } from "./contender.ts";
import { type TreeMemory, treeMemory } from "./process-tree.ts";
import { promptOf } from "./task.ts";

const COUNTS = [1, 10, 100] as const;
const QUICK_COUNTS = [1, 10] as const;
/** More processes of one peer than this are not started: the rest is extrapolated. */
const PROCESSES_MAX = 10;
const QUICK_PROCESSES_MAX = 4;
const AT_A_TIME = 4;
/** Time for a garbage collection and a checkpoint of the write-ahead log. */
const SETTLE_MS = 5000;

/** Memory of all processes of a contender, by the number of sessions that have done one turn and are kept open. */
export async function measureMemory(arena: Arena): Promise<readonly Figure[]> {
  const counts: readonly number[] = arena.bench.quick ? QUICK_COUNTS : COUNTS;
  const found = new Map<ContenderName, ReadonlyMap<number, TreeMemory>>();
  for (const contender of arena.contenders().filter(({ name }) => name !== "bare"))
    try {
      found.set(
        contender.name,
        await (contender.processPerSession ? manyProcesses : oneServer)(arena, contender, counts),
      );
    } catch (cause) {
      arena.drop(contender.name, cause);
    }
  return counts.flatMap((count) => {
    const at = [...found].flatMap(([name, memories]) => {
      const memory = memories.get(count);
      return memory === undefined ? [] : [{ name, memory }];
    });
    const resident = at.map(({ name, memory }) => [`${name}RssMb`, memory.rssMb] as const);
    const processes = at.map(({ name, memory }) => [`${name}Processes`, memory.processes] as const);
    const guessed = count > processesMax(arena) && found.has("pi");
    return versusPeers(
      arena,
      {
        name: `engine.memory.${count}`,
        what: `memory (PSS) of all its processes with ${count} sessions, each after one turn${guessed ? `; pi's is extrapolated from ${processesMax(arena)} processes` : ""}`,
        unit: "MB",
        aim: null,
        details: Object.fromEntries([...resident, ...processes]),
      },
      new Map(at.map(({ name, memory }) => [name, memory.pssMb])),
    );
  });
}

type Memories = ReadonlyMap<number, TreeMemory>;

async function oneServer(arena: Arena, contender: Contender, counts: readonly number[]): Promise<Memories> {
  await using running = await contender.start();
  const found = new Map<number, TreeMemory>();
  let begun = 0;
  for (const count of counts) {
    const work = async (): Promise<void> => {
      while (begun < count) {
        begun += 1;
        await oneTurn(arena, running);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    await sleep(SETTLE_MS);
    found.set(count, treeMemory([running.pid]));
  }
  return found;
}

async function manyProcesses(arena: Arena, contender: Contender, counts: readonly number[]): Promise<Memories> {
  await using started = new AsyncDisposableStack();
  const found = new Map<number, TreeMemory>();
  const roots: number[] = [];
  // Each process that we own listens for our exit.
  process.setMaxListeners(process.getMaxListeners() + processesMax(arena));
  for (const count of [1, processesMax(arena)]) {
    while (roots.length < count) {
      const running = started.use(await contender.start());
      await oneTurn(arena, running);
      roots.push(running.pid);
    }
    await sleep(SETTLE_MS);
    found.set(count, treeMemory(roots));
  }
  return new Map(counts.map((count) => [count, found.get(count) ?? extrapolated(found, count)]));
}

function extrapolated(found: Memories, count: number): TreeMemory {
  const [[fewer, low] = [], [more, high] = []] = [...found];
  if (fewer === undefined || more === undefined || low === undefined || high === undefined)
    throw new Error("two counts are needed to extrapolate");
  const at = (from: number, to: number) => from + ((to - from) / (more - fewer)) * (count - fewer);
  return {
    pssMb: at(low.pssMb, high.pssMb),
    rssMb: at(low.rssMb, high.rssMb),
    processes: at(low.processes, high.processes),
  };
}

function processesMax({ bench }: Arena): number {
  return bench.quick ? QUICK_PROCESSES_MAX : PROCESSES_MAX;
}

async function oneTurn({ conversation, model, setting }: Arena, running: Running): Promise<void> {
  const name = conversation();
  await running.begin(promptOf({ conversation: name, reads: 1, folder: setting.cwd }));
  await model.records(name);
}
