import { type AlarmClock, type Committer, createCommitter, startAlarms, UNBOUNDED } from "../../src/commit/index.ts";
import { acquireLease, createDefinitions, SYSTEM_STREAM, System } from "../../src/domains/index.ts";
import type { Clock } from "../../src/host/index.ts";
import { ALARMS, isRefusal, type NewId } from "../../src/kernel/index.ts";
import type { Store } from "../../src/store/index.ts";
import { type Chance, createChance } from "../sim/chance.ts";
import { createDisk, type Disk } from "../sim/disk.ts";
import { createSimStore, type Incarnation } from "../sim/sim-store.ts";
import { createVirtualClock, type VirtualClock } from "../sim/virtual-clock.ts";
import { newRedactor } from "../support/redactor.ts";
import { AGGREGATES } from "./aggregates.ts";
import { breachesIn } from "./check-reminders.ts";
import { Reminder, setReminder } from "./reminder.ts";

export interface Year {
  readonly breaches: readonly string[];
  readonly rang: number;
  readonly lives: number;
  readonly leftOverdue: number;
}

interface Life {
  readonly incarnation: Incarnation;
  readonly store: Store;
  readonly committer: Committer;
  readonly alarms: AlarmClock;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const STEPS_MAX = 20_000;

/**
 * A year of a machine whose wall clock is set forward and back, that is suspended for hours, and whose daemon is
 * restarted and killed, also between an append and its answer. With `planted` an alarm sometimes rings twice without
 * checking its state.
 */
export async function liveOneYear(seed: number, planted = false): Promise<Year> {
  const chance = createChance(seed);
  const machine = createMachine(chance);
  const disk = createDisk(createDefinitions(AGGREGATES));
  const newId = countedIds();
  let lives = 0;
  let life = await boot();
  let before: Incarnation = life.incarnation;

  async function boot(): Promise<Life> {
    lives += 1;
    const incarnation: Incarnation = { dead: false, zombie: chance.happens(0.3) };
    const clock = machine.clockOf(incarnation);
    const faults = { diskFull: 0.02, dieBefore: 0.02, dieAfter: 0.03, slowMs: 50, checkFence: true };
    const quiet = { ...faults, diskFull: 0, dieBefore: 0, dieAfter: 0 };
    const die = () => {
      incarnation.dead = true;
    };
    const starting = createSimStore(disk, machine.clock, chance, quiet, incarnation, die);
    const fence = await machine.until(takeLease(starting, clock, newId));
    const store = createSimStore(disk, machine.clock, chance, faults, incarnation, die);
    const real = createCommitter({ store, clock, newId, fence, bounds: UNBOUNDED, redactor: newRedactor() });
    const committer = planted ? twice(real, chance) : real;
    const alarms = startAlarms({ store, committer, clock, random: chance.next, log: () => undefined });
    return { incarnation, store, committer: real, alarms };
  }

  for (let day = 0; machine.wallDays() < 365 || day < 300; day += 1) {
    for (let n = chance.below(3); n > 0; n -= 1) {
      const dueAt = new Date(machine.clock.nowMs() + machine.aheadMs() + chance.below(40 * DAY_MS) - DAY_MS);
      const plan = { dueAt: dueAt.toISOString(), times: 1 + chance.below(4), everyMs: chance.below(3 * DAY_MS) + 1 };
      // A caller gets no answer when the daemon dies.
      void life.committer.change(Reminder, newId(), (s) => setReminder(s, plan), { actor: "sim" }).catch(() => null);
    }
    await machine.run(10 + chance.below(40));
    if (chance.happens(0.1)) void life.alarms.stop();
    machine.moveWall();
    await machine.run(chance.below(20));
    const isOver = life.incarnation.dead || chance.happens(0.15);
    if (isOver) {
      // Only the newest may still send: each old one costs as much as a living one.
      before.zombie = false;
      before = life.incarnation;
      before.dead = true;
      life = await boot();
    }
  }
  before.zombie = false;
  life.incarnation.dead = true;
  machine.leap(200 * DAY_MS);
  for (let tries = 0; overdue(disk) > 0 && tries < 50; tries += 1) {
    life.incarnation.dead = true;
    life = await boot();
    for (let n = 0; n < 40 && overdue(disk) > 0 && !life.incarnation.dead; n += 1) await machine.run(100);
  }
  const rang = disk.log.filter(({ type }) => type === "reminder.rang@1").length;
  return { breaches: breachesIn(disk.log), rang, lives, leftOverdue: overdue(disk) };
}

function overdue(disk: Disk): number {
  return disk.rows(ALARMS.name).length;
}

/** The machine's clocks: timers use the steady one, which stops during sleep; the wall clock is set by hand. */
function createMachine(chance: Chance) {
  const clock: VirtualClock = createVirtualClock();
  const startMs = clock.nowMs();
  let aheadMs = 0;
  const run = async (steps: number): Promise<void> => {
    for (let n = 0; n < steps; n += 1) await clock.step();
  };
  return {
    clock,
    run,
    aheadMs: () => aheadMs,
    wallDays: () => (clock.nowMs() + aheadMs - startMs) / DAY_MS,
    leap: (ms: number) => {
      aheadMs += ms;
    },
    /** Most of a day is slept; sometimes the clock is set, also back, or to the next month. */
    moveWall: () => {
      aheadMs += chance.below(40 * HOUR_MS);
      if (chance.happens(0.2)) aheadMs -= chance.below(30 * HOUR_MS);
      if (chance.happens(0.02)) aheadMs += 30 * DAY_MS;
      if (chance.happens(0.02)) aheadMs -= 25 * DAY_MS;
    },
    until: async <T>(work: Promise<T>): Promise<T> => {
      let isDone = false;
      void work.finally(() => {
        isDone = true;
      });
      for (let n = 0; !isDone && n < STEPS_MAX; n += 1) await clock.step();
      return work;
    },
    /** A daemon's view of the clocks: the timers of a dead daemon never run. */
    clockOf: (life: Incarnation): Clock => ({
      ...clock,
      nowMs: () => clock.nowMs() + aheadMs,
      after: (ms, work) => clock.after(ms, () => (life.dead && !life.zombie ? undefined : work())),
    }),
  };
}

function twice(committer: Committer, chance: Chance): Pick<Committer, "change"> {
  return {
    change: async (of, id, decide, by) => {
      const done = await committer.change(of, id, decide, by);
      const again = done.events.map(({ type, data }) => ({ type, data: Object(data) }));
      if (again.length > 0 && chance.happens(0.02)) await committer.change(of, id, () => again, by);
      return done;
    },
  };
}

async function takeLease(store: Store, clock: Clock, newId: NewId): Promise<number> {
  const { version, lease } = await store.fold(System, "");
  const decision = acquireLease(lease, { resource: "home", holder: "sim", deadHolder: true });
  if (isRefusal(decision)) throw new Error(decision.refused);
  const fence = lease.lastFence + 1;
  const at = clock.iso(clock.nowMs());
  const events = decision.map((fact) => ({ id: newId(), at, actor: "sim", cause: null, fact }));
  await store.append([{ stream: SYSTEM_STREAM, expectedVersion: version, events }], { fence });
  return fence;
}

function countedIds(): NewId {
  let count = 0;
  return () => {
    count += 1;
    return `00000000-0000-7000-8000-${count.toString(16).padStart(12, "0")}`;
  };
}
