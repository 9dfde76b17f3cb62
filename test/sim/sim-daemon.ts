import { createCommitter, startAlarms } from "../../src/commit/index.ts";
import {
  acquireLease,
  compilePolicy,
  DEFAULT_RULES,
  NO_WORKSPACES,
  SYSTEM_STREAM,
  System,
} from "../../src/domains/index.ts";
import { demoDriver, externalDriver } from "../../src/drivers/index.ts";
import { isRefusal, type NewId } from "../../src/kernel/index.ts";
import { endWhenFenced } from "../../src/services/home/one-daemon.ts";
import type { Store } from "../../src/store/index.ts";
import { createFrames, createSupervisor, createTurnRunner, type Supervisor } from "../../src/supervisor/index.ts";
import { createApprovalWaiters, type Driver, TURN_VERBS } from "../../src/turns/index.ts";
import { NO_BOUNDS, NO_SCOPES, NO_SECRETS, NO_SESSION_FILES, NO_TREES } from "../support/no-session-parts.ts";
import { newRedactor } from "../support/redactor.ts";
import type { Chance } from "./chance.ts";
import type { Disk } from "./disk.ts";
import { createSimProcesses, type Outside } from "./sim-processes.ts";
import { createSimStore, type Incarnation, type StoreFaults } from "./sim-store.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export interface SimDaemon {
  readonly supervisor: Supervisor;
  readonly store: Store;
  readonly life: Incarnation;
  /** Resolves when this daemon dies. */
  readonly death: Promise<void>;
}

export interface SimWorld {
  readonly disk: Disk;
  readonly clock: VirtualClock;
  readonly chance: Chance;
  readonly newId: NewId;
  readonly outside: Outside;
  readonly faults: StoreFaults;
  /** Drivers beside those that every simulated daemon has. */
  readonly drivers?: readonly Driver[];
  /** The own engine of a daemon, and then also alarms, which wake parked turns. */
  readonly engine?: (life: Incarnation) => Driver;
}

/**
 * A daemon as the composition root builds it, on a simulated disk and simulated processes; the supervisor is the real
 * one.
 */
export async function bootDaemon(world: SimWorld, onDeath: () => void): Promise<SimDaemon> {
  const { disk, clock, chance, newId, outside } = world;
  const life: Incarnation = { dead: false, zombie: false };
  const death = Promise.withResolvers<void>();
  const die = () => {
    life.dead = true;
    death.resolve();
    onDeath();
  };
  const store = endWhenFenced(createSimStore(disk, clock, chance, world.faults, life, die), die);
  const fence = await Promise.race([takeLease(store, clock, newId), death.promise.then(() => 0)]);
  const committer = createCommitter({ store, clock, newId, fence, bounds: NO_BOUNDS, redactor: newRedactor() });
  const processes = createSimProcesses(clock, chance, outside, life);
  const engines = world.engine === undefined ? [] : [world.engine(life)];
  const drivers = new Map(
    [demoDriver(), externalDriver(), ...(world.drivers ?? []), ...engines].map((driver) => [driver.slug, driver]),
  );
  const driver = (slug: string) => drivers.get(slug) ?? demoDriver();
  const files = {
    directory: async (path: string) => path,
    place: (_root: string, path: string) => path,
    write: async (_root: string, path: string, text: string) => {
      await clock.sleep(chance.below(5));
      if (!life.dead) outside.push(`file ${path} ${text}`);
    },
    read: async () => "",
    range: async () => ({ bytes: new Uint8Array(), size: 0 }),
    remove: async () => undefined,
  };
  const policy = compilePolicy(TURN_VERBS, DEFAULT_RULES);
  const runner = createTurnRunner({
    advisories: { atStart: async () => null },
    scopes: NO_SCOPES,
    store,
    committer,
    clock,
    files,
    newId,
    policy: () => policy,
    frames: createFrames(),
    waiters: createApprovalWaiters(store),
    processes,
    sessionFiles: NO_SESSION_FILES,
    driver,
    toolPolicy: async (agent, tool) => (agent === "careful" && tool === "run" ? "always_ask" : "auto"),
    permissions: { named: async () => null, unattended: () => "ask", answerWithinMs: () => null, home: "/nowhere" },
    onQuota: () => "tell",
    secrets: NO_SECRETS,
    turnTimeoutMs: () => 60_000,
    log: () => undefined,
  });
  const specs = {
    home: "/nowhere",
    files,
    defaultCwd: "/work",
    workspaces: async () => NO_WORKSPACES,
    driver,
    driverFile: () => null,
    strictMissing: null,
    tryWalls: () => undefined,
    random: () => new Uint8Array(5),
    requireSecrets: async () => undefined,
  };
  const supervisor = createSupervisor({
    scopes: NO_SCOPES,
    trees: NO_TREES,
    store,
    committer,
    runner,
    processes,
    sessionFiles: NO_SESSION_FILES,
    clock,
    newId,
    specs,
    bounds: NO_BOUNDS,
    keeper: () => null,
    diedAtMs: null,
    idleHibernateMs: () => 5000,
    log: () => undefined,
  });
  await Promise.race([supervisor.recover(), death.promise]);
  if (engines.length > 0) startAlarms({ store, committer, clock, random: chance.next, log: () => undefined });
  return { supervisor, store, life, death: death.promise };
}

async function takeLease(store: Store, clock: VirtualClock, newId: NewId): Promise<number> {
  while (true) {
    const system = await store.fold(System, "");
    const decision = acquireLease(system.lease, { resource: "home", holder: "sim", deadHolder: true });
    if (isRefusal(decision)) throw new Error("a lease that cannot be taken");
    const fence = system.lease.lastFence + 1;
    const events = decision.map((fact) => ({
      id: newId(),
      at: clock.iso(clock.nowMs()),
      actor: "daemon",
      cause: null,
      fact,
    }));
    const taken = await store
      .append([{ stream: SYSTEM_STREAM, expectedVersion: system.version, events }], { fence })
      .catch(() => null);
    if (taken !== null) return fence;
  }
}
