import { createHash, randomBytes } from "node:crypto";
import { mkdir, realpath, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { toNomosError } from "../contract/index.ts";
import { createAgentPool, openShelf } from "../drivers/index.ts";
import {
  createProcessHost,
  findBubblewrap,
  killMarked,
  limitsHeld,
  processIdentity,
  systemClock,
  systemFiles,
  writeFileAtomic,
} from "../host/index.ts";
import { compilePolicy, fact, HOME_LEASE, releaseLease, SYSTEM_STREAM, uuidv7Maker } from "../kernel/index.ts";
import { lockHome, openStore, shownAddress } from "../store/index.ts";
import {
  createAgents,
  createApprovalWaiters,
  createCommitter,
  createFrames,
  createRetention,
  createSessionProcesses,
  createSupervisor,
  createTempFolders,
  createTokens,
  createTurnRunner,
} from "../supervisor/index.ts";
import { serveHttp } from "../surfaces/index.ts";
import { createTickets, permissions, type Services, SYSCALLS, type Syscall } from "../syscalls/index.ts";
import { openAudit } from "./audit.ts";
import { createBackups } from "./backups.ts";
import { openDaemonLog } from "./daemon-log.ts";
import { createDenialBound } from "./denials.ts";
import { createDocs } from "./docs.ts";
import { createDriverDesk } from "./driver-desk.ts";
import { createDrivers } from "./drivers.ts";
import { homeIdentity } from "./home-identity.ts";
import { takeHomeLease } from "./home-lease.ts";
import { growHeapSlowly } from "./memory.ts";
import { clearRestoring, refuseBackup } from "./restored-files.ts";
import { createProgramRunner } from "./run-program.ts";
import { createAuthenticator, operatorToken } from "./secrets.ts";
import { sessionFiles } from "./session-files.ts";
import { openSettings, setting, storeSettings } from "./settings.ts";
import { startTour } from "./tour.ts";

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

const TOOL_VERBS = ["tool.run", "tool.write", "tool.process"];
const TURN_GRACE_MS = 400;
const SOCKET_PATH_MAX = 100;

/** The composition root: everything is built here, once, and nothing anywhere else. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const startedAtMs = Date.now();
  growHeapSlowly();
  await mkdir(options.home, { recursive: true, mode: 0o700 });
  const home = await realpath(options.home);
  refuseBackup(home);
  const lock = lockHome(join(home, "lock.db"));
  await clearRestoring(home).catch((thrown: unknown) => {
    lock.release();
    throw thrown;
  });
  const config = await openSettings(home);
  const log = openDaemonLog(home, options.echo);
  const clock = systemClock();
  const identity = homeIdentity(home);
  const files = sessionFiles(systemFiles(), identity);
  const newId = uuidv7Maker({ nowMs: clock.nowMs, random: () => randomBytes(10) });
  const settings = storeSettings(home, config, options.environment);
  const store = await openStore(settings, ({ code, details }) => {
    options.echo(JSON.stringify({ message: "the log can no longer be written here; stopping", code, details }));
    options.die(6);
  });
  const audit = await openAudit({
    home,
    store,
    config: config.show(),
    environment: options.environment,
    clock,
    log: log.write,
  }).catch(async (thrown: unknown) => {
    await store.close();
    lock.release();
    throw thrown;
  });
  const fence = await takeHomeLease({ store, newId, clock, holder: `pid:${process.pid}` });
  const committer = createCommitter({ store, clock, newId, fence });

  const bubblewrap = await findBubblewrap(options.environment["PATH"] ?? "");
  const bwrapPath = "path" in bubblewrap ? bubblewrap.path : null;
  const instance = `nomos-${createHash("sha256").update(home).digest("hex").slice(0, 12)}`;
  const withstood = await killMarked(instance);
  if (withstood.length > 0) log.write("processes of a dead daemon do not go away", { pids: withstood });
  const host = createProcessHost({ home, bwrapPath, processesMax: setting(config, "processesMax") });

  const workspaces = join(home, "workspaces");
  await mkdir(workspaces, { recursive: true, mode: 0o700 });
  const tempRoot = join(home, "tmp");
  // What a dead daemon's agents left: its own are gone by now.
  await rm(tempRoot, { recursive: true, force: true });
  const temps = createTempFolders(tempRoot, (path, error) =>
    log.write("a temp directory stays", { path, error: String(error) }),
  );
  let port = 0;
  const url = () => `http://127.0.0.1:${port}`;
  const limits = () => {
    const { processMemoryMb, processOpenFilesMax } = config.show();
    return { memoryMb: processMemoryMb ?? null, openFilesMax: processOpenFilesMax ?? null };
  };
  const processes = createSessionProcesses({
    host,
    environment: options.environment,
    instance,
    workspaces,
    temps,
    url,
    driverEnvironment: (slug) => drivers.environment(slug),
    isHomeInPlace: identity.isInPlace,
    limits,
  });
  const { environment } = options;
  const programs = createProgramRunner({ host, clock, environment, instance, cwd: dirname(home) });
  const shelf = await openShelf(join(home, "drivers"), (file, problem) => log.write("no manifest", { file, problem }));
  const pool = createAgentPool(processes.agents, clock);
  const agentsFolder = join(home, "agents");
  const drivers = createDrivers({
    config,
    shelf,
    pool,
    host: processes.agents,
    clock,
    version: options.version,
    sources: { agents: agentsFolder, environment, ask: programs.ask },
  });
  const frames = createFrames();
  const agents = createAgents(store, committer);
  const tokens = createTokens(store, committer, clock, newId);
  const waiters = createApprovalWaiters(store);
  const table = [...SYSCALLS, ...(options.moreSyscalls ?? [])];
  const policy = compilePolicy(
    [...permissions(table), ...TOOL_VERBS],
    [{ id: "default", effect: "allow", verb: "*", resource: "**" }],
  );
  const runner = createTurnRunner({
    store,
    committer,
    clock,
    files,
    newId,
    policy,
    frames,
    waiters,
    processes,
    driver: drivers.get,
    toolPolicy: agents.toolPolicy,
    permissions: {
      named: agents.namedPolicy,
      unattended: (adapter) => config.show().drivers?.[adapter]?.permissions ?? "ask",
      answerWithinMs: () => config.show().approvalWaitMs ?? null,
    },
    turnTimeoutMs: () => setting(config, "turnTimeoutMs"),
    log: log.write,
  });
  const random = () => randomBytes(5);
  const supervisor = createSupervisor({
    store,
    committer,
    runner,
    processes,
    clock,
    newId,
    specs: { home, files, defaultCwd: options.cwd, driver: drivers.get, driverFile: drivers.file, random },
    keeper: (adapter) => (drivers.manifest(adapter) === null ? null : pool),
    idleHibernateMs: () => setting(config, "idleHibernateMs"),
    log: log.write,
  });

  const mayRecordDenial = createDenialBound(clock);
  const stopAsked = Promise.withResolvers<void>();
  const stopping = new AbortController();
  let ready = false;
  let recovery = { sessions: 0, interrupted: 0, ms: 0 };
  const services: Services = {
    store,
    supervisor,
    agents,
    tokens,
    frames,
    policy,
    config,
    tickets: createTickets(clock),
    docs: createDocs(),
    audit: audit.service(committer),
    backups: createBackups({ ...audit, home, store, clock, committer, version: options.version }),
    retention: createRetention({ store, committer, clock, newId, folder: join(home, "archive") }),
    fence,
    callsUnderWay: new Map(),
    secretsShownOnce: new Map(),
    identify: processIdentity,
    requireDriver: (slug) => void drivers.get(slug),
    drivers: createDriverDesk({ drivers, shelf, agentsFolder, programs, processes, clock, version: options.version }),
    noteCall: async (syscall, { actor, call }) => {
      await committer.change(SYSTEM_STREAM, () => [fact("call.made@1", { syscall })], { actor: actor.principal, call });
    },
    noteDenial: async (denial, { actor }) => {
      if (!mayRecordDenial(actor.principal)) return;
      await committer.change(SYSTEM_STREAM, () => [fact("gate.denied@1", { ...denial, turnId: null })], {
        actor: actor.principal,
      });
    },
    daemon: {
      version: options.version,
      pid: process.pid,
      home,
      port: () => port,
      startedAtMs,
      recovery: () => recovery,
      limits: () => ({ ...limits(), held: limitsHeld() }),
      sandbox: { bubblewrap: bwrapPath, remedy: "remedy" in bubblewrap ? bubblewrap.remedy : null },
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
      connectionsMax: setting(config, "connectionsMax"),
    },
  );
  port = server.port;

  await agents.ensureBuiltIn(drivers.list().map(({ slug }) => slug));
  const recoveryStartMs = Date.now();
  recovery = { ...(await supervisor.recover()), ms: Date.now() - recoveryStartMs };
  const tourSession = options.tour ? await startTour(services, workspaces) : null;
  const found = {
    pid: process.pid,
    port,
    socket: socketPath.length < SOCKET_PATH_MAX ? socketPath : null,
    version: options.version,
    startedAt: clock.iso(startedAtMs),
  };
  await writeFileAtomic(join(home, "daemon.json"), Buffer.from(`${JSON.stringify(found)}\n`), { mode: 0o600 });
  ready = true;
  log.write("up", {
    port,
    store: shownAddress(settings.address ?? "sqlite"),
    fence,
    recovery,
    startMs: Date.now() - startedAtMs,
  });

  const stop = async (): Promise<void> => {
    log.write("stopping");
    stopping.abort();
    const closed = server.close();
    await supervisor.stop(TURN_GRACE_MS);
    await pool.close();
    await host.stopAll({ graceMs: TURN_GRACE_MS });
    await temps.settled();
    await closed;
    await committer
      .change(
        SYSTEM_STREAM,
        (folded) => (folded.kind === "system" ? releaseLease(folded.state.lease, { resource: HOME_LEASE, fence }) : []),
        { actor: "daemon" },
      )
      .catch((thrown: unknown) => log.write("the lease could not be given back", { code: toNomosError(thrown).code }));
    await audit.stop();
    await store.close();
    await rm(join(home, "daemon.json"), { force: true });
    log.write("down");
    await log.close();
    lock.release();
  };
  return { port, home, tourSession, stop, stopAsked: stopAsked.promise };
}
