import { join } from "node:path";
import { type HeldPolicy, holdPolicy } from "../commit/index.ts";
import type { Policy } from "../domains/index.ts";
import { type Bubblewrap, returnMemoryWhenIdle, type Snapshots, systemMemory, writeFileAtomic } from "../host/index.ts";
import {
  cleanTemporaries,
  createRadarService,
  createSessionTools,
  createToolbox,
  type HeldGovernance,
  type McpServerService,
  type OpenedHome,
  recordNetworkDenial,
  startTour,
  tidySandboxHomes,
  workspaceFile,
} from "../services/index.ts";
import type { HttpServer } from "../surfaces/index.ts";
import {
  type CallAsOperator,
  callAsOperator,
  createSessionCalls,
  permissions,
  rolesOf,
  type Services,
  SYSCALLS,
  type Syscall,
} from "../syscalls/index.ts";
import { type ToolSource, TURN_VERBS } from "../turns/index.ts";
import { buildServices } from "./build-services.ts";
import { buildSessions, type Sessions } from "./build-sessions.ts";
import { buildEngine, type ModelParts, openModels } from "./engine.ts";
import { buildWorks, openGovernance, speakersBeside } from "./governance.ts";
import { buildLandings } from "./landings.ts";
import { type Machine, startMachine } from "./machine.ts";
import { openWritableLog, type WritableLog } from "./open-log.ts";
import { openSealed } from "./sealed.ts";
import { type Served, serve } from "./serve.ts";
import { addProgramTools, addTools } from "./tools.ts";
import { unlessFull, unlessInTheWay } from "./unless-full.ts";

export interface DaemonOptions {
  readonly home: string;
  /** Null: use the configured port. `none`: listen on the home's socket alone. */
  readonly port: number | "none" | null;
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly tour: boolean;
  /** This process is the daemon and nothing else: descriptors from its parent are closed. */
  readonly ownsProcess?: true;
  readonly echo: (line: string) => void;
  /** Further syscalls to serve, for programs built on Nomos. */
  readonly moreSyscalls?: readonly Syscall[];
  /** Further rooms with tools, for programs built on Nomos. */
  readonly moreTools?: readonly ToolSource[];
  /** A program's own configuration, over that of the home's file. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** What a program says to a decision of the gate, beside the rules. */
  readonly beside?: Policy["beside"];
  /** The folder of the dashboard's files; default: the one that `npm run build` writes. */
  readonly webFolder?: string;
  /** The module with the list of aggregates; default: ours. */
  readonly definitions?: string;
  /** Called when the log cannot be written: the process must exit at once with this code. */
  readonly die: (exitCode: number) => void;
}

export interface Daemon {
  readonly port: number;
  readonly home: string;
  readonly call: CallAsOperator;
  readonly tourSession: { readonly id: string; readonly name: string } | null;
  /** Ends turns, hibernates every session, closes the log and releases the home lock. */
  readonly stop: () => Promise<void>;
  /** Resolves when a caller asked the daemon to stop. */
  readonly stopAsked: Promise<void>;
}

const TURN_GRACE_MS = 400;
/** Time for the answer of `system.shutdown` to reach its caller. */
const SHUT_DOWN_AFTER_MS = 50;

type Recovery = ReturnType<Services["daemon"]["recovery"]>;

/** Values that are known only during the start. Parts that are built earlier read them when needed. */
interface StartProgress {
  port: number;
  ready: boolean;
  recovery: Recovery;
  snapshots: Snapshots | null;
  take: HttpServer["take"];
}

function nothingYet(): StartProgress {
  return {
    port: 0,
    ready: false,
    recovery: { sessions: 0, interrupted: 0, ms: 0 },
    snapshots: null,
    take: (socket) => void socket.destroy(),
  };
}

/** What the start has begun before the rest of the daemon was loaded. */
export interface Begun {
  readonly startedAtMs: number;
  readonly opened: OpenedHome;
  readonly bubblewrap: Promise<Bubblewrap>;
}

/** A start that fails gives everything back: a program that embeds the daemon lives on, and may try again. */
export async function buildDaemon(options: DaemonOptions, begun: Begun): Promise<Daemon> {
  const running: Running = { opened: begun.opened, stopping: new AbortController() };
  return build(options, begun, running).catch(async (thrown: unknown) => {
    await stopRunning(running);
    throw thrown;
  });
}

/** The composition root: the only place that constructs the parts. */
async function build(options: DaemonOptions, begun: Begun, running: Running): Promise<Daemon> {
  const { environment, version } = options;
  const { startedAtMs, opened } = begun;
  const { home, clock, log } = opened;
  const now = nothingYet();
  const written = await openWritableLog(opened, () => now.snapshots?.bytes() ?? 0);
  running.written = written;
  const syscalls = [...SYSCALLS, ...(options.moreSyscalls ?? [])];
  const roles = rolesOf(syscalls);
  const sealed = await openSealed(opened, written, roles.operator);
  const models = openModels(opened);
  const tools = createToolbox();
  addProgramTools(tools, options.moreTools ?? []);
  const machine = await startMachine({
    ...{ opened, environment, version, secrets: sealed.secretUses },
    engine: (host) => buildEngine(opened, models, environment, host, tools, sealed.secretUses),
    bubblewrap: begun.bubblewrap,
    url: () => `http://127.0.0.1:${now.port}`,
    take: (socket, sessionId) => now.take(socket, sessionId),
    onDenied: recordNetworkDenial(written.committer, log.write),
  });
  now.snapshots = machine.snapshots;
  const { mcpServers } = addTools(tools, { opened, machine, environment, version, secrets: sealed.secretUses });
  Object.assign(running, { models, machine, mcpServers });
  const secrets = sealed.secretUses;
  const rooms = await buildRooms(options, syscalls, {
    ...{ opened, written, machine, environment, startedAtMs, mcpServers, secrets, cwd: options.cwd },
  });
  const { sessions, governance, landing, work, radar } = rooms;
  Object.assign(running, { sessions, watching: [landing, radar, work, governance.ticketService], governance });
  const stopAsked = Promise.withResolvers<void>();
  const daemon = {
    ...{ version, home, startedAtMs, pid: process.pid, limits: machine.limits, sandbox: machine.sandbox },
    port: () => now.port,
    recovery: () => now.recovery,
    shutDown: () => void clock.after(SHUT_DOWN_AFTER_MS, () => stopAsked.resolve()),
  };
  const built = buildServices({
    ...{ opened, written, machine, models, daemon, roles, environment, ...rooms, ...sealed, ...landing, ...work },
    tickets: governance.ticketService.tickets,
    tools: { toolbox: tools, mcpServers, ready: mcpServers.source.ready },
  });
  running.stopWatching = built.stop;
  const { services } = built;
  tools.add(createSessionTools(createSessionCalls(services, syscalls), (sha256) => services.store.blob(sha256)));
  const served = await serve({
    ...{ opened, machine, services, syscalls, port: options.port, webFolder: options.webFolder },
    ...{ ready: () => now.ready, stopping: running.stopping.signal },
  });
  running.served = served;
  Object.assign(now, { port: served.port, take: served.take });
  now.recovery = await recover(opened, sessions, machine);
  const tourSession = options.tour
    ? await unlessInTheWay(startTour(services, machine.workspaces), "the tour", log.write)
    : null;
  await writeDaemonFile(home, served, { version, startedAt: clock.iso(startedAtMs) });
  now.ready = true;
  const about = { recovery: now.recovery, startMs: Date.now() - startedAtMs };
  log.write("up", { port: served.port, store: opened.address, fence: written.fence, ...about });
  written.waiting.start();
  sessions.forks.start();
  for (const { start } of running.watching ?? []) start();
  running.background = startBackgroundWork(opened, machine, startedAtMs);
  return {
    ...{ port: served.port, home, tourSession, stopAsked: stopAsked.promise },
    call: callAsOperator(services, syscalls),
    stop: () => stopRunning(running),
  };
}

/** Sessions and what works on them, under the gate and the law of their repositories. */
async function buildRooms(
  { beside }: DaemonOptions,
  syscalls: readonly Syscall[],
  parts: Omit<Parameters<typeof buildSessions>[0], "policy" | "law">,
) {
  const { opened, written, machine, environment } = parts;
  const governance = await openGovernance(opened, written, environment, () => sessions);
  const policy = await openPolicy(speakersBeside(governance, beside), syscalls, opened, written);
  const sessions: Sessions = buildSessions({ ...parts, policy, law: governance.sessionLaw });
  const landing = buildLandings(opened, written, sessions, machine, environment, governance.landingLaw);
  const work = buildWorks(opened, written, sessions, governance, landing);
  const radar = createRadarService({ ...opened, ...written, ...sessions, environment });
  return { governance, policy, sessions, landing, work, radar };
}

/** The rules of the configuration, in force and in the log. */
async function openPolicy(
  beside: Policy["beside"],
  syscalls: readonly Syscall[],
  { config, log }: OpenedHome,
  { committer }: WritableLog,
): Promise<HeldPolicy> {
  const rules = config.show().policy?.rules ?? [];
  const policy = holdPolicy({ committer, verbs: [...permissions(syscalls), ...TURN_VERBS], rules, beside });
  await unlessFull(policy.replace(rules, { actor: "daemon" }), log.write);
  return policy;
}

/** The first turn then finds the engine's process running. */
function warmEngine({ engine }: Machine, log: (message: string, details: object) => void): void {
  engine.warm().catch((thrown: unknown) => log("the engine was not started ahead", { reason: String(thrown) }));
}

async function recover(opened: OpenedHome, sessions: Sessions, machine: Machine): Promise<Recovery> {
  const { home, log } = opened;
  const { agents, supervisor, workspaces } = sessions;
  await unlessInTheWay(workspaceFile(home)(await workspaces.all()), "workspaces.json", log.write);
  await unlessFull(agents.ensureBuiltIn(machine.driverCatalogue.slugs()), log.write);
  const startMs = Date.now();
  return { ...(await supervisor.recover()), ms: Date.now() - startMs };
}

/** `daemon.json`: how the command line finds the daemon. */
async function writeDaemonFile(
  home: string,
  { port, socket }: Served,
  about: { readonly version: string; readonly startedAt: string },
): Promise<void> {
  const found = { pid: process.pid, port, socket, ...about };
  await writeFileAtomic(join(home, "daemon.json"), Buffer.from(`${JSON.stringify(found)}\n`), { mode: 0o600 });
}

interface BackgroundWork {
  /** Stops background work and waits for what is unfinished. */
  readonly stop: () => Promise<void>;
  readonly cleaned: Promise<void>;
}

function startBackgroundWork(opened: OpenedHome, machine: Machine, startedAtMs: number): BackgroundWork {
  const { home, store, clock, log } = opened;
  warmEngine(machine, log.write);
  const cleaned = cleanTemporaries(home, startedAtMs, log.write);
  const stopWatchingMemory = returnMemoryWhenIdle(systemMemory(clock));
  const tidying = tidySandboxHomes({ homes: machine.sandboxHomes, store, walls: machine.walls, clock, log: log.write });
  return {
    cleaned,
    stop: async () => {
      stopWatchingMemory();
      tidying.stop();
      await tidying.swept;
    },
  };
}

/** What has been started so far. */
interface Running {
  readonly opened: OpenedHome;
  readonly stopping: AbortController;
  written?: WritableLog;
  machine?: Machine;
  models?: ModelParts;
  mcpServers?: McpServerService;
  sessions?: Sessions;
  governance?: HeldGovernance;
  watching?: readonly { readonly start: () => void; readonly stop: () => Promise<void> }[];
  stopWatching?: () => void;
  served?: Served;
  background?: BackgroundWork;
}

/** The order matters: sessions hibernate while the log can still be written; the home lock is released last. */
async function stopRunning(running: Running): Promise<void> {
  const { opened, written, machine, models, sessions, served, mcpServers, background } = running;
  opened.log.write("stopping");
  await background?.stop();
  running.stopping.abort();
  await Promise.all([written?.waiting.stop(), ...(running.watching ?? []).map(({ stop }) => stop())]);
  const closed = served?.close();
  await sessions?.supervisor.stop(TURN_GRACE_MS);
  models?.logins.stop();
  await machine?.engine.stop();
  await mcpServers?.stop();
  await machine?.stop(TURN_GRACE_MS);
  await sessions?.forks.stop();
  sessions?.stopDeathWatch();
  running.governance?.stop();
  await closed;
  await written?.giveBack();
  running.stopWatching?.();
  await background?.cleaned;
  await written?.followers.close();
  await opened.close();
}
