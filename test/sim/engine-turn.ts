import { uuidv7Maker } from "../../src/domains/index.ts";
import { APPROVALS, idIn, Session, type SessionState } from "../../src/kernel/index.ts";
import type { RecordedEvent } from "../../src/store/index.ts";
import { createChance } from "./chance.ts";
import { askUntilAnswered, type Ledger } from "./client.ts";
import { createDisk, type Disk } from "./disk.ts";
import { judge } from "./judge.ts";
import { judgeEngine } from "./judge-engine.ts";
import { bootDaemon, type SimDaemon, type SimWorld } from "./sim-daemon.ts";
import { createSimEngine } from "./sim-engine.ts";
import { newProvider } from "./sim-model.ts";
import { createVirtualClock } from "./virtual-clock.ts";

const BY = { actor: "operator" };
const ROUNDS_MAX = 2000;
const ROUND_MS = 100;
const PARKED_ROUND_MS = 10_000;
const STEER_ROUND = 2;
const STEPS_MAX = 200_000;

export interface EngineTurn {
  readonly problems: readonly string[];
  /** Number of appends, or of lines between daemon and engine, until the fault or the end. */
  readonly count: number;
  readonly outcome: string | null;
  readonly resumed: number;
}

/** What dies, and where: a daemon before or after one of its appends, or the engine's process at one of its lines. */
export interface Fault {
  readonly who: "daemon before" | "daemon after" | "engine";
  readonly at: number;
}

/**
 * One turn of the own engine with commands, a question, a retry, a usage limit and a steering message, and with one fault.
 * Whoever died starts again, and somebody answers.
 */
export async function runEngineTurn(
  fault: Fault,
  { agent, prompt }: { readonly agent: "demo" | "careful"; readonly prompt: string },
): Promise<EngineTurn> {
  const chance = createChance(fault.at);
  const clock = createVirtualClock();
  const provider = newProvider();
  let counter = 0;
  const random = () => {
    counter += 1;
    const bytes = new Uint8Array(10);
    new DataView(bytes.buffer).setUint32(4, counter);
    return bytes;
  };
  const counts = { daemon: 0, engine: 0 };
  const isDue = (who: Fault["who"], count: number) => (fault.who === who && fault.at === count ? 1 : 0);
  const newId = uuidv7Maker({ nowMs: clock.nowMs, random });
  const engineDies = (): number => {
    counts.engine += 1;
    return isDue("engine", counts.engine);
  };
  const world: SimWorld = {
    ...{ disk: createDisk(), clock, chance, newId, outside: [] },
    faults: {
      diskFull: 0,
      get dieBefore() {
        counts.daemon += 1;
        return isDue("daemon before", counts.daemon);
      },
      get dieAfter() {
        return isDue("daemon after", counts.daemon);
      },
      slowMs: 5,
      checkFence: true,
    },
    engine: (life) => createSimEngine({ clock, chance, newId, provider, engineDies }, life),
  };
  const ledger: Ledger = { acked: [], sessions: [], commands: 0 };
  let daemon: Promise<SimDaemon> | null = null;
  const current = async (): Promise<SimDaemon> => {
    daemon ??= bootDaemon(world, () => {
      daemon = null;
    });
    const found = await daemon;
    return found.life.dead ? current() : found;
  };
  const asked = (name: string, act: (on: SimDaemon, by: typeof BY) => Promise<readonly RecordedEvent[]>) =>
    askUntilAnswered({ name, act }, name, current, ledger);

  const story = async (): Promise<void> => {
    await asked("open", ({ supervisor }, by) => supervisor.open({ adapter: "nomos", agent, prompt }, by));
    const id = ledger.sessions[0] ?? "";
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const parked = sessionIn(world.disk)?.quota !== undefined;
      await clock.sleep(parked ? PARKED_ROUND_MS : ROUND_MS);
      const now = await current();
      const steer = { prompt: "run mark-steer", queue: false, interrupt: false, steer: true };
      if (round === STEER_ROUND) await asked("steer", ({ supervisor }, by) => supervisor.prompt(id, steer, by));
      if (round % 3 === 0) await answerOldest(now);
      const state = sessionIn(world.disk);
      if (round > STEER_ROUND && state?.phase.at === "idle" && state.queue.length === 0) return;
    }
  };
  let over = false;
  const told = story().then(() => {
    over = true;
  });
  for (let steps = 0; !over && steps < STEPS_MAX; steps += 1) if (!(await clock.step())) break;
  if (over) await told;
  const { disk, outside } = world;
  const [end] = disk.log.filter(({ type }) => type === "turn.ended@1");
  const problems = over
    ? [...judge(disk, ledger, outside), ...judgeEngine(disk, provider, outside)]
    : [`the story does not end: ${JSON.stringify(sessionIn(disk)?.phase)}`];
  return {
    problems,
    count: fault.who === "engine" ? counts.engine : counts.daemon,
    outcome: end === undefined ? null : String(Reflect.get(Object(end.data), "outcome")),
    resumed: disk.log.filter(({ type }) => type === "turn.resumed@1").length,
  };
}

async function answerOldest({ store, supervisor, death }: SimDaemon): Promise<void> {
  const [pending] = await store.rows(APPROVALS, { limit: 1, where: { status: "pending" } });
  if (pending === undefined) return;
  const answered = supervisor.answer(pending.id, { status: "approved", option: pending.options[0] ?? null }, BY);
  await Promise.race([answered.catch(() => []), death]);
}

function sessionIn(disk: Disk): SessionState | null {
  const [id] = disk.log.flatMap(({ stream }) => idIn(Session, stream) ?? []);
  return id === undefined ? null : disk.fold(Session, id);
}
