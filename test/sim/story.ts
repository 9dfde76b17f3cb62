import { uuidv7Maker } from "../../src/domains/index.ts";
import { SESSIONS } from "../../src/kernel/index.ts";
import { createChance } from "./chance.ts";
import { answerSomething, askUntilAnswered, engineWish, type Ledger, randomWish } from "./client.ts";
import { createDisk } from "./disk.ts";
import { judge } from "./judge.ts";
import { judgeEngine } from "./judge-engine.ts";
import { bootDaemon, type SimDaemon, type SimWorld } from "./sim-daemon.ts";
import { createSimEngine } from "./sim-engine.ts";
import { newProvider } from "./sim-model.ts";
import type { Incarnation } from "./sim-store.ts";
import { createVirtualClock } from "./virtual-clock.ts";

export interface StoryOptions {
  readonly seed: number;
  readonly commands: number;
  /** A planted bug: the store does not check the fence. */
  readonly skipFence: boolean;
  /** Sessions of the own engine, whose turns go on after a crash. */
  readonly engine?: boolean;
  /** A planted bug: a run of the engine's turn knows nothing of the runs before it. */
  readonly forgets?: boolean;
}

export interface Outcome {
  readonly problems: readonly string[];
  readonly events: number;
  readonly incarnations: number;
}

const STEPS_MAX = 200_000;
const CLIENTS = 4;
/** Usage limits last for minutes. */
const ENGINE_ROUND_MS = 1000;
const ENGINE_DIES_MAX = 0.02;
/** In the small one conversations are compacted. */
const WINDOWS = [200_000, 9000];

/** One simulated run: clients call, daemons start and die, the disk fails; at the end all guarantees are checked. */
export async function tellStory(options: StoryOptions): Promise<Outcome> {
  const chance = createChance(options.seed);
  const clock = createVirtualClock();
  let counter = 0;
  const random = () => {
    counter += 1;
    const bytes = new Uint8Array(10);
    new DataView(bytes.buffer).setUint32(4, counter);
    return bytes;
  };
  const quiet = { diskFull: 0, dieBefore: 0, dieAfter: 0, slowMs: 5, checkFence: !options.skipFence };
  const rough = {
    ...quiet,
    diskFull: chance.pick([0, 0, 0.01]),
    dieBefore: chance.next() * 0.02,
    dieAfter: chance.next() * 0.02,
    slowMs: 1 + chance.below(20),
  };
  const faults = { ...rough };
  const world: SimWorld = {
    disk: createDisk(),
    clock,
    chance,
    newId: uuidv7Maker({ nowMs: clock.nowMs, random }),
    outside: [],
    faults,
  };
  const { engine = false, forgets = false } = options;
  const provider = newProvider(engine ? chance.pick(WINDOWS) : undefined);
  const engineRate = engine ? chance.next() * ENGINE_DIES_MAX : 0;
  const engineDies = () => (faults.dieBefore === quiet.dieBefore ? 0 : engineRate);
  if (engine)
    Object.assign(world, {
      engine: (life: Incarnation) =>
        createSimEngine({ clock, chance, newId: world.newId, provider, engineDies, forgets }, life),
    });
  const ledger: Ledger = { acked: [], sessions: [], commands: 0 };
  let incarnations = 0;
  let daemon: Promise<SimDaemon> | null = null;

  const current = (): Promise<SimDaemon> => {
    daemon ??= boot();
    return daemon;
  };
  /** A daemon that cannot start is started again, as a supervisor would. */
  const boot = async (): Promise<SimDaemon> => {
    while (true) {
      incarnations += 1;
      await clock.sleep(chance.below(50));
      const mine: { promise: Promise<SimDaemon> | null } = { promise: daemon };
      const born = await bootDaemon(world, () => {
        if (daemon === mine.promise) daemon = null;
      }).catch(() => null);
      if (born !== null && !born.life.dead) return born;
      daemon ??= mine.promise;
    }
  };
  /** A paused daemon that was taken for dead: it goes on sending while its successor works. */
  const declareDead = async (): Promise<void> => {
    if (daemon === null) return;
    const old = await daemon;
    if (old.life.dead) return;
    old.life.zombie = true;
    daemon = null;
  };

  const client = async (number: number): Promise<void> => {
    for (let turn = 0; turn < options.commands / CLIENTS; turn += 1) {
      await clock.sleep(chance.below(60));
      if (chance.happens(0.02)) await declareDead();
      const wish = engine ? engineWish(chance, ledger) : randomWish(chance, ledger);
      await askUntilAnswered(wish, `${number}-${turn}`, current, ledger);
    }
  };
  const calmDown = async (): Promise<void> => {
    Object.assign(faults, quiet);
    provider.isLimiting = false;
    const last = await current();
    for (let round = 0; round < 400; round += 1) {
      await clock.sleep(engine ? ENGINE_ROUND_MS : 20);
      await answerSomething(await current(), { actor: "operator" }, chance).catch(() => []);
      for (const id of ledger.sessions) await last.supervisor.resume(id, { actor: "operator" }).catch(() => []);
      const rows = await last.store.rows(SESSIONS, { limit: 10_000 });
      if (rows.every(({ busy }) => !busy)) return;
    }
  };

  const all = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number))).then(calmDown);
  let over = false;
  let failure: unknown = null;
  all.then(
    () => {
      over = true;
    },
    (thrown: unknown) => {
      failure = thrown;
      over = true;
    },
  );
  let steps = 0;
  while (!over && steps < STEPS_MAX) {
    if (!(await clock.step()) && !over)
      return { problems: ["everything stands still"], events: world.disk.log.length, incarnations };
    steps += 1;
  }
  if (failure !== null)
    return {
      problems: [`the story broke: ${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}`],
      events: world.disk.log.length,
      incarnations,
    };
  if (!over) return { problems: ["the story does not end"], events: world.disk.log.length, incarnations };
  const problems = [
    ...judge(world.disk, ledger, world.outside),
    ...(engine ? judgeEngine(world.disk, provider, world.outside) : []),
  ];
  return { problems, events: world.disk.log.length, incarnations };
}
