import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createCommitter } from "../commit/index.ts";
import { processIdentity, type Snapshots, systemFiles, watchDeath, writeFileAtomic } from "../host/index.ts";
import { compilePolicy, ownEntry, uuidv7Maker } from "../kernel/index.ts";
import {
  createAgents,
  createDelegation,
  createFrames,
  createRetention,
  createSupervisor,
  createTokens,
  createTurnRunner,
  createWorkspaces,
  liveSnapshots,
} from "../supervisor/index.ts";
import { type HttpServer, serveHttp } from "../surfaces/index.ts";
import {
  createHeavyCalls,
  createPasses,
  permissions,
  type Services,
  SYSCALLS,
  type Syscall,
} from "../syscalls/index.ts";
import { createApprovalWaiters } from "../turns/index.ts";
import { createBackups } from "./backups.ts";
import { keptCensus, openBounds, watchEventLoop } from "./bounds.ts";
import { cleanTemporaries } from "./clean-temporaries.ts";
import { connectionsMax } from "./connections.ts";
import { createNotes, noteNetworkDenial } from "./denials.ts";
import { createDocs } from "./docs.ts";
import { startFollowers } from "./followers.ts";
import { giveHomeLeaseBack, takeHomeLease } from "./home-lease.ts";
import { homeState } from "./home-state.ts";
import { startMachine } from "./machine.ts";
import { growHeapSlowly } from "./memory.ts";
import { openHome } from "./open-home.ts";
import { openSessionFiles } from "./open-session-files.ts";
import { tidySandboxHomes } from "./sandbox-homes.ts";
import { createAuthenticator, operatorToken } from "./secrets.ts";
import { refuseHomeFiles } from "./session-file-access.ts";
import { setting } from "./settings.ts";
import { startTour } from "./tour.ts";
import { openTrees } from "./trees.ts";
import { unlessFull, unlessInTheWay } from "./unless-full.ts";
import { openWaiting } from "./waiting.ts";
import { workspaceFile } from "./workspace-file.ts";

export interface DaemonOptions {
  readonly home: string;
  /** Null: what the configuration says. */
  readonly port: number | null;
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly tour: boolean;
  readonly echo: (line: string) => void;
  /** Served beside the table, for those who build on it. */
  readonly moreSyscalls?: readonly Syscall[];
  /** The module with the list of aggregates, when it is not the house's own. */
  readonly definitions?: string;
  /** The log could not be written: the process must end now, with this exit code. */
  readonly die: (exitCode: number) => void;
}

export interface Daemon {
  readonly port: number;
  readonly home: string;
  readonly tourSession: { readonly id: string; readonly name: string } | null;
  /** Drains, puts every session to sleep, closes the log, lets go of the home. */
  readonly stop: () => Promise<void>;
  /** Resolves when somebody asked the daemon to stop. */
  readonly stopAsked: Promise<void>;
}

/** Effects are open in kind: an engine brings tools of its own. */
const TOOL_VERBS = ["tool.*"];
const TURN_GRACE_MS = 400;
const SOCKET_PATH_MAX = 100;

/** The composition root: everything is built here, once, and nothing anywhere else. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const startedAtMs = Date.now();
  growHeapSlowly();
  const opened = await openHome(options);
  const { home, config, log, clock, identity, store, instruments, audit } = opened;
  const files = refuseHomeFiles(systemFiles(), identity);
  const newId = uuidv7Maker({ nowMs: clock.nowMs, random: () => randomBytes(10) });
  const fence = await takeHomeLease({ store, newId, clock, holder: `pid:${process.pid}` });
  let snapshots: Snapshots | null = null;
  const besideBytes = () => snapshots?.bytes() ?? 0;
  const bounds = await openBounds({ home, store, config, clock, log: log.write, besideBytes });
  const followers = await startFollowers(opened, fence);
  const committer = createCommitter({ store, clock, newId, fence, bounds: bounds.bounds });

  const waiting = openWaiting(opened, committer);
  let port = 0;
  const url = () => `http://127.0.0.1:${port}`;
  const { environment, version } = options;
  let take: HttpServer["take"] = (socket) => void socket.destroy();
  const machine = await startMachine({
    opened,
    environment,
    version,
    url,
    take: (socket, sessionId) => take(socket, sessionId),
    onDenied: noteNetworkDenial(committer, log.write),
  });
  const { processes, drivers } = machine;
  snapshots = machine.snapshots;
  const frames = createFrames();
  const slugs = () => drivers.list().map(({ slug }) => slug);
  const agents = createAgents(store, committer, { drivers: slugs, since: clock.iso(startedAtMs) });
  const { whenKeyless } = processes;
  const tokens = createTokens({ store, committer, clock, newId, whenKeyless });
  const waiters = createApprovalWaiters(store);
  const table = [...SYSCALLS, ...(options.moreSyscalls ?? [])];
  const policy = compilePolicy(
    [...permissions(table), ...TOOL_VERBS],
    [{ id: "default", effect: "allow", verb: "*", resource: "**" }],
  );
  const { isTight } = bounds.bounds;
  const sessionFiles = openSessionFiles({ opened, snapshots, environment, isTight, livesAt: processes.livesAt });
  const { trees, scopes } = openTrees({ opened, committer, environment, sessionFiles, discard: opened.trash.discard });
  const runner = createTurnRunner({
    scopes,
    store,
    committer,
    clock,
    files,
    newId,
    policy,
    frames,
    waiters,
    processes,
    sessionFiles,
    driver: drivers.get,
    toolPolicy: agents.toolPolicy,
    permissions: {
      named: agents.namedPolicy,
      unattended: (adapter) => ownEntry(config.show().drivers ?? {}, adapter)?.permissions ?? "ask",
      answerWithinMs: () => config.show().approvalWaitMs ?? null,
    },
    turnTimeoutMs: () => setting(config, "turnTimeoutMs"),
    log: log.write,
  });
  const registry = createWorkspaces({ store, committer, files, home, onChange: workspaceFile(home) });
  const specs = {
    home,
    files,
    defaultCwd: options.cwd,
    workspaces: registry.all,
    driver: drivers.get,
    driverFile: drivers.file,
    random: () => randomBytes(5),
    strictMissing: machine.strictMissing,
    tryWalls: machine.tryWalls,
  };
  const death = watchDeath(join(home, "ended"));
  const supervisor = createSupervisor({
    store,
    committer,
    runner,
    processes,
    sessionFiles,
    clock,
    newId,
    specs,
    bounds: bounds.bounds,
    trees,
    scopes,
    keeper: machine.keeper,
    idleHibernateMs: () => setting(config, "idleHibernateMs"),
    diedAtMs: death.lastDeathMs,
    log: log.write,
  });

  const eventLoop = watchEventLoop();
  const limits = () => ({
    depthMax: setting(config, "delegationDepthMax"),
    childrenMax: setting(config, "delegationChildrenMax"),
  });
  const delegation = createDelegation({
    store,
    committer,
    agents,
    runner,
    specs,
    bounds: bounds.bounds,
    newId,
    limits,
  });

  const stopAsked = Promise.withResolvers<void>();
  const stopping = new AbortController();
  let ready = false;
  let recovery = { sessions: 0, interrupted: 0, ms: 0 };
  const services: Services = {
    store,
    supervisor,
    agents,
    delegation,
    workspaces: registry,
    trees,
    tokens,
    frames,
    policy,
    config,
    passes: createPasses(clock),
    heavy: createHeavyCalls(clock.steadyMs),
    docs: createDocs(),
    audit: audit.service(committer),
    followers,
    waiting: waiting.service,
    bounds: bounds.service,
    instruments,
    census: keptCensus(store, clock),
    eventLoop: eventLoop.lag,
    homeState: () => homeState(home, opened.trash),
    checkSnapshots: async () => machine.snapshots.check(await liveSnapshots(store)),
    backups: createBackups({ ...audit, home, store, clock, committer, version }),
    retention: createRetention({
      store,
      committer,
      clock,
      folder: join(home, "archive"),
      sweepSnapshots: async (ids) => {
        const swept = await machine.snapshots.sweep([...ids, ...(await scopes.marked())], false);
        log.write("removed snapshots that no session can go back to", { ...swept });
      },
    }),
    fence,
    callsUnderWay: new Map(),
    secretsShownOnce: new Map(),
    identify: processIdentity,
    requireDriver: (slug) => void drivers.get(slug),
    drivers: machine.desk,
    sandbox: machine.sandboxDesk(committer),
    ...createNotes(committer, clock),
    daemon: {
      version,
      pid: process.pid,
      home,
      port: () => port,
      startedAtMs,
      recovery: () => recovery,
      limits: machine.limits,
      sandbox: machine.sandbox,
      shutDown: () => void clock.after(50, () => stopAsked.resolve()),
    },
  };

  const operator = await operatorToken(home);
  const socketPath = join(home, "nomos.sock");
  await rm(socketPath, { force: true });
  const server = await serveHttp(
    {
      services,
      syscalls: table,
      ...createAuthenticator(operator, tokens, processes),
      ready: () => ready,
      requestBytesMax: setting(config, "requestBytesMax"),
      stopping: stopping.signal,
      log: log.write,
    },
    {
      port: options.port ?? setting(config, "port"),
      socket: socketPath.length < SOCKET_PATH_MAX ? socketPath : null,
      connectionsMax: connectionsMax(config, log.write),
    },
  );
  port = server.port;
  take = server.take;

  await unlessInTheWay(workspaceFile(home)(await registry.all()), "workspaces.json", log.write);
  await unlessFull(agents.ensureBuiltIn(slugs()), log.write);
  const recoveryStartMs = Date.now();
  recovery = { ...(await supervisor.recover()), ms: Date.now() - recoveryStartMs };
  const tourSession = options.tour ? await startTour(services, machine.workspaces, log.write) : null;
  const found = {
    pid: process.pid,
    port,
    socket: socketPath.length < SOCKET_PATH_MAX ? socketPath : null,
    version,
    startedAt: clock.iso(startedAtMs),
  };
  await writeFileAtomic(join(home, "daemon.json"), Buffer.from(`${JSON.stringify(found)}\n`), { mode: 0o600 });
  ready = true;
  log.write("up", { port, store: opened.address, fence, recovery, startMs: Date.now() - startedAtMs });
  waiting.start();

  const cleaned = cleanTemporaries(home, startedAtMs, log.write);

  const tidying = tidySandboxHomes({ homes: machine.sandboxHomes, store, walls: machine.walls, clock, log: log.write });

  const stop = async (): Promise<void> => {
    log.write("stopping");
    tidying.stop();
    await tidying.swept;
    stopping.abort();
    await waiting.stop();
    const closed = server.close();
    await supervisor.stop(TURN_GRACE_MS);
    await machine.stop(TURN_GRACE_MS);
    death.stop();
    await closed;
    await giveHomeLeaseBack(committer, fence, log.write);
    bounds.stop();
    eventLoop.stop();
    await cleaned;
    await followers.close();
    await opened.close();
  };
  return { port, home, tourSession, stop, stopAsked: stopAsked.promise };
}
