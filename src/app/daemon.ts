import { join } from "node:path";
import { holdPolicy } from "../commit/index.ts";
import { type Bubblewrap, type Snapshots, writeFileAtomic } from "../host/index.ts";
import {
  cleanTemporaries,
  type OpenedHome,
  recordNetworkDenial,
  startTour,
  tidySandboxHomes,
  workspaceFile,
} from "../services/index.ts";
import type { HttpServer } from "../surfaces/index.ts";
import { permissions, rolesOf, type Services, SYSCALLS, type Syscall } from "../syscalls/index.ts";
import { TURN_VERBS } from "../turns/index.ts";
import { buildServices } from "./build-services.ts";
import { buildSessions, type Sessions } from "./build-sessions.ts";
import { type Machine, startMachine } from "./machine.ts";
import { returnMemoryWhenIdle, systemMemory } from "./memory.ts";
import { openWritableLog, type WritableLog } from "./open-log.ts";
import { type Served, serve } from "./serve.ts";
import { unlessFull, unlessInTheWay } from "./unless-full.ts";

export interface DaemonOptions {
  readonly home: string;
  /** Null: use the configured port. */
  readonly port: number | null;
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly tour: boolean;
  /** This process is the daemon and nothing else: descriptors from its parent are closed. */
  readonly ownsProcess?: true;
  readonly echo: (line: string) => void;
  /** Further syscalls to serve, for programs built on Nomos. */
  readonly moreSyscalls?: readonly Syscall[];
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

/** What the start has begun before the rest of the daemon was loaded. */
export interface Begun {
  readonly startedAtMs: number;
  readonly opened: OpenedHome;
  readonly bubblewrap: Promise<Bubblewrap>;
}

/** The composition root: the only place that constructs the parts. */
export async function buildDaemon(options: DaemonOptions, begun: Begun): Promise<Daemon> {
  const { environment, version } = options;
  const { startedAtMs, opened } = begun;
  const { home, clock, log } = opened;
  const now: StartProgress = {
    port: 0,
    ready: false,
    recovery: { sessions: 0, interrupted: 0, ms: 0 },
    snapshots: null,
    take: (socket) => void socket.destroy(),
  };
  const written = await openWritableLog(opened, () => now.snapshots?.bytes() ?? 0);
  const machine = await startMachine({
    opened,
    environment,
    version,
    bubblewrap: begun.bubblewrap,
    url: () => `http://127.0.0.1:${now.port}`,
    take: (socket, sessionId) => now.take(socket, sessionId),
    onDenied: recordNetworkDenial(written.committer, log.write),
  });
  now.snapshots = machine.snapshots;
  const syscalls = [...SYSCALLS, ...(options.moreSyscalls ?? [])];
  const rules = () => opened.config.show().policy?.rules ?? [];
  const verbs = [...permissions(syscalls), ...TURN_VERBS];
  const policy = holdPolicy({ committer: written.committer, verbs, rules: rules() });
  await unlessFull(policy.replace(rules(), { actor: "daemon" }), log.write);
  const sessions = buildSessions({ opened, written, machine, policy, environment, cwd: options.cwd, startedAtMs });
  const stopAsked = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const daemon = {
    ...{ version, home, startedAtMs, pid: process.pid, limits: machine.limits, sandbox: machine.sandbox },
    port: () => now.port,
    recovery: () => now.recovery,
    shutDown: () => void clock.after(SHUT_DOWN_AFTER_MS, () => stopAsked.resolve()),
  };
  const built = buildServices({ opened, written, machine, sessions, policy, roles: rolesOf(syscalls), daemon });
  const { services } = built;
  const { port, webFolder } = options;
  const ready = () => now.ready;
  const served = await serve({
    opened,
    machine,
    services,
    syscalls,
    port,
    webFolder,
    ready,
    stopping: stopping.signal,
  });
  now.port = served.port;
  now.take = served.take;

  now.recovery = await recover(opened, sessions, machine);
  const tourSession = options.tour
    ? await unlessInTheWay(startTour(services, machine.workspaces), "the tour", log.write)
    : null;
  await writeDaemonFile(home, served, { version, startedAt: clock.iso(startedAtMs) });
  now.ready = true;
  const { recovery } = now;
  const startMs = Date.now() - startedAtMs;
  log.write("up", { port: served.port, store: opened.address, fence: written.fence, recovery, startMs });
  written.waiting.start();
  sessions.forks.start();
  const running = { opened, written, machine, sessions, served, stopping, stopWatching: built.stop };
  const stop = createStop(running, startBackgroundWork(opened, machine, startedAtMs));
  return { port: served.port, home, tourSession, stop, stopAsked: stopAsked.promise };
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

/** The order matters: sessions hibernate while the log can still be written; the home lock is released last. */
function createStop(
  running: {
    readonly opened: OpenedHome;
    readonly written: WritableLog;
    readonly machine: Machine;
    readonly sessions: Sessions;
    readonly served: Served;
    readonly stopping: AbortController;
    readonly stopWatching: () => void;
  },
  background: BackgroundWork,
): () => Promise<void> {
  const { opened, written, machine, sessions, served, stopping, stopWatching } = running;
  return async () => {
    opened.log.write("stopping");
    await background.stop();
    stopping.abort();
    await written.waiting.stop();
    const closed = served.close();
    await sessions.supervisor.stop(TURN_GRACE_MS);
    await machine.stop(TURN_GRACE_MS);
    await sessions.forks.stop();
    sessions.stopDeathWatch();
    await closed;
    await written.giveBack();
    stopWatching();
    await background.cleaned;
    await written.followers.close();
    await opened.close();
  };
}
