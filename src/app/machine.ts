import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import type { Committer } from "../commit/index.ts";
import { createAgentPool, openShelf } from "../drivers/index.ts";
import {
  allowedEnvironment,
  createProcessHost,
  type Denied,
  findBubblewrap,
  findCgroups,
  isInside,
  killMarked,
  limitsHeld,
  type Missing,
  openSnapshots,
  type Snapshots,
} from "../host/index.ts";
import type { SessionSpec } from "../kernel/index.ts";
import {
  createSessionProcesses,
  createSessionWalls,
  createTempFolders,
  FORKS,
  holdableGit,
  type SessionProcesses,
  type SessionWalls,
  treeAround,
} from "../supervisor/index.ts";
import type { DriverDesk, SandboxService, Services } from "../syscalls/index.ts";
import type { Kept } from "../turns/index.ts";
import { createDriverDesk } from "./driver-desk.ts";
import { createDrivers, type Drivers } from "./drivers.ts";
import type { OpenedHome } from "./open-home.ts";
import { createProgramRunner } from "./run-program.ts";
import { createSandboxDesk } from "./sandbox-desk.ts";
import { setting } from "./settings.ts";

/** What sessions run on: processes, and the drivers that start them. */
export interface Machine {
  readonly processes: SessionProcesses;
  readonly drivers: Drivers;
  readonly desk: DriverDesk;
  /** What a driver keeps between turns; null for one that keeps nothing, or is not there any more. */
  readonly keeper: (adapter: string) => Kept | null;
  readonly snapshots: Snapshots;
  /** Where the sessions of the house work. */
  readonly workspaces: string;
  readonly walls: SessionWalls;
  readonly sandboxHomes: string;
  readonly sandboxDesk: (committer: Committer) => SandboxService;
  /** Refuses a session whose directory cannot be walled off. */
  readonly tryWalls: (spec: SessionSpec, place: "here" | "worktree") => void;
  /** Null: `strict` can be held. */
  readonly strictMissing: Missing | null;
  readonly sandbox: Services["daemon"]["sandbox"];
  readonly limits: Services["daemon"]["limits"];
  /** Resolves when no process of ours is left. */
  readonly stop: (graceMs: number) => Promise<void>;
}

/** Ends first what a dead daemon left running. */
export async function startMachine(options: {
  readonly opened: OpenedHome;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Where the daemon is reached; known once it serves. */
  readonly url: () => string;
  /** Takes a connection from behind a session's walls to the daemon itself. */
  readonly take: (socket: Socket, sessionId: string) => void;
  readonly onDenied: (sessionId: string, denied: Denied) => void;
}): Promise<Machine> {
  const { opened, environment, version, url } = options;
  const { home, config, clock, identity, log, trash } = opened;
  const bubblewrap = await findBubblewrap(environment["PATH"] ?? "");
  const bwrapPath = "path" in bubblewrap ? bubblewrap.path : null;
  const instance = `nomos-${createHash("sha256").update(home).digest("hex").slice(0, 12)}`;
  const withstood = await killMarked(instance);
  if (withstood.length > 0) log.write("processes of a dead daemon could not be ended", { pids: withstood });
  const strictMissing = "path" in bubblewrap ? bubblewrap.strict : bubblewrap;
  const cgroups = findCgroups(instance);
  cgroups.sweep();
  const host = createProcessHost({
    home,
    bwrapPath,
    strictMissing,
    cgroups,
    processesMax: setting(config, "processesMax"),
  });

  const workspaces = join(home, "workspaces");
  await mkdir(workspaces, { recursive: true, mode: 0o700 });
  const tempRoot = join(home, "tmp");
  // What a dead daemon's agents left: its own are gone by now. Whatever it is, no start waits for it or fails with it.
  const doors = join(home, "doors");
  for (const left of [tempRoot, doors]) await trash.discardWithin(left);
  const temps = createTempFolders(tempRoot, trash.discard);
  const limits = () => {
    const { processMemoryMb, processOpenFilesMax } = config.show();
    return { memoryMb: processMemoryMb ?? null, openFilesMax: processOpenFilesMax ?? null };
  };
  const sandboxLimits = () => {
    const { memoryMb = null, pidsMax = SANDBOX_PIDS_MAX, cpus = null } = config.show().sandbox ?? {};
    return { memoryMb, pidsMax, cpus };
  };
  const sandboxHomes = join(home, "sandboxes");
  const worktrees = join(home, "worktrees");
  const port = () => Number(new URL(url()).port);
  const walls = createSessionWalls({
    homes: sandboxHomes,
    doors,
    discard: trash.discard,
    personHome: environment["HOME"] ?? "/",
    state: (adapter) => drivers.manifest(adapter) ?? NO_STATE,
    limits: sandboxLimits,
    readable: () => config.show().sandbox?.readable ?? [],
    daemon: { port, take: options.take },
    onDenied: options.onDenied,
  });
  const processes = createSessionProcesses({
    host,
    walls,
    environment,
    instance,
    grounds: [workspaces, join(home, FORKS)],
    worktrees,
    temps,
    url,
    driverEnvironment: (slug) => drivers.environment(slug),
    isHomeInPlace: identity.isInPlace,
    limits,
  });
  const snapshots = openSnapshots({ folder: join(home, "snapshots"), bwrapPath });
  const programs = createProgramRunner({ host, clock, environment, instance, cwd: dirname(home) });
  const catalogue = await openShelf(join(home, "drivers"), (file, problem) =>
    log.write("a manifest is not valid and was skipped", { file, problem }),
  );
  const pool = createAgentPool(processes.agents, clock);
  const agentsFolder = join(home, "agents");
  const drivers = createDrivers({
    config,
    catalogue,
    pool,
    host: processes.agents,
    clock,
    version,
    sources: { agents: agentsFolder, environment, ask: programs.ask },
  });
  return {
    processes,
    drivers,
    desk: createDriverDesk({ drivers, catalogue, agentsFolder, programs, processes, clock, version }),
    keeper: (adapter) => (drivers.manifest(adapter) === null ? null : pool),
    snapshots,
    workspaces,
    walls,
    sandboxHomes,
    sandboxDesk: (committer) =>
      createSandboxDesk({
        host,
        walls,
        drivers,
        cgroups,
        limits: sandboxLimits,
        environment,
        instance,
        doors,
        port,
        home,
        worktrees,
        committer,
        store: opened.store,
      }),
    strictMissing,
    tryWalls: ({ cwd }, place) => {
      host.plan({
        argv: ["/bin/sh"],
        cwd,
        env: allowedEnvironment(environment),
        stdin: "none",
        readBack: isInside(home, cwd) ? [cwd] : [],
        walls: { mounts: [], programs: [], home: null, temp: null, door: null },
      });
      if (place === "here" && treeAround(worktrees, cwd) === null) holdableGit(cwd, home);
    },
    sandbox: { bubblewrap: bwrapPath, remedy: "remedy" in bubblewrap ? bubblewrap.remedy : null },
    limits: () => ({ ...limits(), held: limitsHeld() }),
    stop: async (graceMs) => {
      await snapshots.close();
      await pool.close();
      await host.stopAll({ graceMs });
      await temps.settled();
    },
  };
}

/** Unless the configuration says otherwise: more than any build needs, and less than a fork bomb. */
const SANDBOX_PIDS_MAX = 2048;

const NO_STATE = { state: { login: [], config: [], variables: {} }, endpoints: [] };
