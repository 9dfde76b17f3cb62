import { mkdir } from "node:fs/promises";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import type { Committer } from "../commit/index.ts";
import { createAgentPool, openShelf } from "../drivers/index.ts";
import type { Engine } from "../engine/index.ts";
import {
  allowedEnvironment,
  type Bubblewrap,
  type Denied,
  isInside,
  limitsHeld,
  type Missing,
  openSnapshots,
  type ProcessHost,
  type SandboxLimits,
  type Snapshots,
} from "../host/index.ts";
import type { SessionSpec } from "../kernel/index.ts";
import {
  type ConfigService,
  createDriverCatalogue,
  createDrivers,
  createProgramRunner,
  createSandboxTrials,
  type DriverCatalogue,
  type Drivers,
  type OpenedHome,
  type SandboxTrials,
  type SecretUses,
  type WalledMeans,
} from "../services/index.ts";
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
import type { Services } from "../syscalls/index.ts";
import type { AgentHost, Kept } from "../turns/index.ts";
import { builtInDrivers } from "./drivers.ts";
import { type OpenedProcessHost, openProcessHost } from "./process-host.ts";

/** Processes and drivers that sessions run on. */
export interface Machine {
  readonly engine: Engine;
  readonly processes: SessionProcesses;
  readonly drivers: Drivers;
  readonly driverCatalogue: DriverCatalogue;
  /** What a driver keeps between turns; null if it keeps nothing or is not installed. */
  readonly keeper: (adapter: string) => Kept | null;
  readonly snapshots: Snapshots;
  /** Default folder for workspaces, in the home. */
  readonly workspaces: string;
  readonly walls: SessionWalls;
  readonly sandboxHomes: string;
  readonly sandboxTrials: (committer: Committer) => SandboxTrials;
  /** Refuses a session whose directory cannot be confined. */
  readonly tryWalls: (spec: SessionSpec, place: "here" | "worktree") => void;
  /** Null: `strict` can be enforced. */
  readonly strictMissing: Missing | null;
  readonly sandbox: Services["daemon"]["sandbox"];
  readonly limits: Services["daemon"]["limits"];
  /** For rooms with processes of their own, which belong to no session. */
  readonly own: Omit<WalledMeans, "home" | "environment"> & { readonly cwd: string };
  /** Resolves when no process of ours is left. */
  readonly stop: (graceMs: number) => Promise<void>;
}

export interface MachineOptions {
  readonly opened: OpenedHome;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly bubblewrap: Promise<Bubblewrap>;
  /** The daemon's address; known once it listens. */
  readonly url: () => string;
  /** Hands a connection from behind a session's walls to the daemon's own server. */
  readonly take: (socket: Socket, sessionId: string) => void;
  readonly onDenied: (sessionId: string, denied: Denied) => void;
  readonly secrets: SecretUses;
  /** Builds the own engine on the machine's processes. */
  readonly engine: (host: AgentHost) => Engine;
}

export async function startMachine(options: MachineOptions): Promise<Machine> {
  const { opened, environment, version, url } = options;
  const { home, config, clock, log } = opened;
  const processHost = await openProcessHost(opened, await options.bubblewrap);
  const { host, instance, cgroups, bwrapPath, strictMissing } = processHost;
  const folders = await makeFolders(opened);
  const { workspaces, worktrees, doors, sandboxHomes, temps } = folders;
  const port = () => Number(new URL(url()).port);
  const limits = () => sandboxLimits(config);
  const { walls, processes } = buildProcesses(options, processHost, folders, () => drivers);
  const snapshots = openSnapshots({ folder: join(home, "snapshots"), bwrapPath });
  const programs = createProgramRunner({ host, clock, environment, instance, cwd: dirname(home) });
  const manifests = await openShelf(join(home, "drivers"), (file, problem) =>
    log.write("a manifest cannot be used", { file, problem }),
  );
  const pool = createAgentPool(processes.agents, clock);
  const engine = options.engine(processes.agents);
  const agentsFolder = join(home, "agents");
  const drivers: Drivers = createDrivers({
    ...{
      config,
      pool,
      clock,
      version,
      catalogue: manifests,
      builtIn: builtInDrivers(engine.driver),
      host: processes.agents,
    },
    sources: { agents: agentsFolder, environment, ask: programs.ask },
  });
  const around = { cwd: dirname(home), sandboxLimits: limits };
  const about = { host, walls, drivers, cgroups, limits, environment, home, worktrees, secrets: options.secrets };
  return {
    ...{ processes, drivers, snapshots, workspaces, walls, sandboxHomes, strictMissing },
    driverCatalogue: createDriverCatalogue({
      ...{ drivers, agentsFolder, programs, processes, clock, version },
      catalogue: manifests,
    }),
    engine,
    own: { ...{ host, instance, doors, port, processLimits: () => processLimits(config) }, ...around },
    keeper: (adapter) => {
      if (adapter === engine.driver.slug) return engine.driver.keeps ?? null;
      return drivers.manifest(adapter) === null ? null : pool;
    },
    sandboxTrials: (committer) =>
      createSandboxTrials({ ...about, instance, doors, port, committer, store: opened.store }),
    tryWalls: ({ cwd }, place) => tryWalls({ ...about, cwd, place }),
    sandbox: { bubblewrap: bwrapPath, remedy: processHost.remedy },
    limits: () => ({ ...processLimits(config), held: limitsHeld() }),
    stop: async (graceMs) => {
      await snapshots.close();
      await pool.close();
      await host.stopAll({ graceMs });
      await temps.settled();
    },
  };
}

type Folders = Awaited<ReturnType<typeof makeFolders>>;

/** Folders of the home that processes of sessions see. Leftovers of a dead daemon's agents go to the trash. */
async function makeFolders({ home, trash }: OpenedHome) {
  const workspaces = join(home, "workspaces");
  await mkdir(workspaces, { recursive: true, mode: 0o700 });
  const tempRoot = join(home, "tmp");
  const doors = join(home, "doors");
  for (const left of [tempRoot, doors]) await trash.discardWithin(left);
  const temps = createTempFolders(tempRoot, trash.discard);
  return { workspaces, doors, temps, worktrees: join(home, "worktrees"), sandboxHomes: join(home, "sandboxes") };
}

/** `drivers` is a function because drivers are built on these processes. */
function buildProcesses(
  { opened, environment, url, take, onDenied }: MachineOptions,
  { host, instance }: OpenedProcessHost,
  { workspaces, worktrees, doors, sandboxHomes, temps }: Folders,
  drivers: () => Drivers,
): { readonly walls: SessionWalls; readonly processes: SessionProcesses } {
  const { home, config, identity, trash, redactor } = opened;
  const walls = createSessionWalls({
    homes: sandboxHomes,
    doors,
    discard: trash.discard,
    personHome: environment["HOME"] ?? "/",
    state: (adapter) => drivers().manifest(adapter) ?? NO_STATE,
    limits: () => sandboxLimits(config),
    readable: () => config.show().sandbox?.readable ?? [],
    daemon: { port: () => Number(new URL(url()).port), take },
    onDenied,
  });
  const processes = createSessionProcesses({
    ...{ host, walls, environment, instance, worktrees, temps, url, redactor },
    grounds: [workspaces, join(home, FORKS)],
    driverEnvironment: (slug) => drivers().environment(slug),
    isHomeInPlace: identity.isInPlace,
    limits: () => processLimits(config),
  });
  return { walls, processes };
}

/** Throws when the directory cannot be confined. Called before the session exists. */
function tryWalls(given: {
  readonly host: ProcessHost;
  readonly home: string;
  readonly worktrees: string;
  readonly environment: MachineOptions["environment"];
  readonly cwd: string;
  readonly place: "here" | "worktree";
}): void {
  const { host, home, worktrees, environment, cwd, place } = given;
  host.plan({
    argv: ["/bin/sh"],
    cwd,
    env: allowedEnvironment(environment),
    stdin: "none",
    readBack: isInside(home, cwd) ? [cwd] : [],
    walls: { mounts: [], programs: [], home: null, temp: null, door: null },
  });
  if (place === "here" && treeAround(worktrees, cwd) === null) holdableGit(cwd, home);
}

function processLimits(config: ConfigService): {
  readonly memoryMb: number | null;
  readonly openFilesMax: number | null;
} {
  const { processMemoryMb, processOpenFilesMax } = config.show();
  return { memoryMb: processMemoryMb ?? null, openFilesMax: processOpenFilesMax ?? null };
}

function sandboxLimits(config: ConfigService): SandboxLimits {
  const { memoryMb = null, pidsMax = SANDBOX_PIDS_MAX, cpus = null } = config.show().sandbox ?? {};
  return { memoryMb, pidsMax, cpus };
}

/** Default of `sandbox.pidsMax`: more than any build needs, less than a fork bomb. */
const SANDBOX_PIDS_MAX = 2048;

const NO_STATE = { state: { login: [], config: [], variables: {} }, endpoints: [] };
