import { createHash, randomBytes } from "node:crypto";
import { NomosError } from "../../contract/index.ts";
import {
  allowedEnvironment,
  type HostProcess,
  isInside,
  MARKER_VARIABLE,
  type ProcessHost,
  type ResourceLimits,
} from "../../host/index.ts";
import type { SessionSpec } from "../../kernel/index.ts";
import type { Redactor } from "../../redaction/index.ts";
import type { AgentHost } from "../../turns/index.ts";
import { treeAround } from "../files/worktree-around.ts";
import { createProcessTokens } from "./process-tokens.ts";
import type { Raised, SessionWalls, WalledSession } from "./session-walls.ts";
import type { TempFolders } from "./temp-folders.ts";

/** Starts and ends a session's processes. */
export interface SessionProcesses {
  readonly spawn: (
    spec: SessionSpec,
    sessionId: string,
    argv: readonly string[],
    stdin: "none" | "pipe",
    env: Readonly<Record<string, string>>,
  ) => HostProcess;
  /** Starts the driver's process: like `spawn`, with the session's token and the daemon's address. */
  readonly spawnDriver: (
    spec: SessionSpec,
    sessionId: string,
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
    shown?: readonly string[],
    programs?: readonly string[],
  ) => HostProcess;
  /** Starts a person's tool: behind the session's walls, with few variables and none of the driver's. */
  readonly spawnTool: (spec: SessionSpec, sessionId: string, argv: readonly string[], order: ToolLaunch) => HostProcess;
  /** For agents that outlive turns. Their drivers own and end them. */
  readonly agents: AgentHost;
  /** Resolves when all processes of the session and their descendants are gone. */
  readonly stopAll: (sessionId: string, graceMs?: number) => Promise<void>;
  /** Whether a process of any session runs in this directory, in a parent or below; includes agents that outlive turns. */
  readonly livesAt: (root: string) => boolean;
  /** The session of a driver's token, while one of its processes lives or its agent has our tools. */
  readonly sessionOfToken: (secretHash: string) => string | null;
  /** Calls `ended` when the session's last token is void; at once if it has none. Returns a function that stops it. */
  readonly whenKeyless: (sessionId: string, ended: () => void) => () => void;
}

export interface ToolLaunch {
  /** Directories in the home that it may read. */
  readonly shown: readonly string[];
  readonly memoryMb: number;
}

export interface SessionProcessesOptions {
  readonly host: ProcessHost;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Set in the environment of every process: finds leftover processes of a dead daemon when there is no sandbox. */
  readonly instance: string;
  /** Folders of the home that sessions work in. */
  readonly grounds: readonly string[];
  readonly worktrees: string;
  readonly url: () => string;
  readonly driverEnvironment: (adapter: string) => Readonly<Record<string, string>>;
  /** For agents and drivers. Commands that a session runs use the person's temp directory. */
  readonly temps: TempFolders;
  /** The home is hidden by its path. When something else lies at that path, nothing may start. */
  readonly isHomeInPlace: () => boolean;
  readonly limits: () => ResourceLimits;
  readonly walls: SessionWalls;
  readonly redactor: Redactor;
}

/** Tools cost every prompt of an agent: only who works on a ticket is shown those to finish it and hand it over. */
const ON_TICKET = "?toolsets=inside,on-ticket";
const STOP_GRACE_MS = 1500;
const OUTPUT_BYTES_MAX = 67_108_864;

interface Launch {
  readonly adapter: string;
  readonly label: string;
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly stdin: "none" | "pipe";
  readonly env: Readonly<Record<string, string>>;
  readonly shown: readonly string[];
  readonly outputLimitBytes: number;
  /** The session whose walls confine the process; null: none. */
  readonly walledFor: WalledSession | null;
  readonly isDriver: boolean;
  readonly programs: readonly string[];
  /** Set for a person's tool: the limit of its memory. */
  readonly toolMemoryMb?: number;
}

/** What a person's tool needs of the environment; a token or a key of an agent is nothing for it. */
const TOOL_VARIABLES = /^(?:PATH|HOME|USER|LANG|LC_\w+|TZ|TMPDIR|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_\w+)$/;

export function createSessionProcesses(options: SessionProcessesOptions): SessionProcesses {
  const running = new Map<string, Set<HostProcess>>();
  const keys = createProcessTokens();
  const living = new Map<HostProcess, string>();

  const start = (order: Launch, temp: string | null = null): HostProcess => {
    const process = startUnseen(options, order, temp);
    living.set(process, order.cwd);
    const forget = () => void living.delete(process);
    process.exited.then(forget, forget);
    return process;
  };

  const startWithTemp = (order: Launch): HostProcess => {
    const { path, giveBack } = options.temps.lend();
    try {
      const process = start(order, path);
      process.exited.then(giveBack, giveBack);
      return process;
    } catch (thrown) {
      giveBack();
      throw thrown;
    }
  };

  const launch = (sessionId: string, order: Omit<Launch, "label">, begin = start): HostProcess => {
    const process = begin({ ...order, label: sessionId });
    const mine = running.get(sessionId) ?? new Set();
    running.set(sessionId, mine.add(process));
    const forget = () => {
      mine.delete(process);
      if (mine.size === 0) running.delete(sessionId);
    };
    process.exited.then(forget, forget);
    return process;
  };

  /** Only the hash is kept, so a memory dump or a listing cannot reveal the token. */
  const issue = (sessionId: string) => {
    const token = `nst_${randomBytes(24).toString("hex")}`;
    const secretHash = createHash("sha256").update(token).digest("hex");
    keys.add(secretHash, sessionId);
    return { token, end: () => keys.end(secretHash) };
  };

  return {
    spawn: (spec, sessionId, argv, stdin, env) => {
      const { adapter, cwd } = spec;
      const order = { adapter, cwd, argv, stdin, env, shown: [], outputLimitBytes: OUTPUT_BYTES_MAX };
      return launch(sessionId, { ...order, walledFor: walledFor(sessionId, spec), isDriver: false, programs: [] });
    },
    spawnDriver: (spec, sessionId, argv, env, shown = [], programs = []) => {
      const { adapter, cwd } = spec;
      const { token, end } = issue(sessionId);
      const own = { ...env, NOMOS_TOKEN: token, NOMOS_URL: options.url(), NOMOS_SESSION_ID: sessionId };
      // The driver speaks its protocol on stdout, so the output is neither limited nor stored.
      const order = { adapter, cwd, argv, env: own, shown, outputLimitBytes: Number.POSITIVE_INFINITY };
      const walled = { walledFor: walledFor(sessionId, spec), isDriver: true, programs };
      try {
        const process = launch(sessionId, { ...order, ...walled, stdin: "pipe" }, startWithTemp);
        process.exited.then(end, end);
        return process;
      } catch (thrown) {
        end();
        throw thrown;
      }
    },
    spawnTool: (spec, sessionId, argv, { shown, memoryMb }) => {
      const { adapter, cwd } = spec;
      const order = { adapter, cwd, argv, shown, env: {}, outputLimitBytes: OUTPUT_BYTES_MAX, toolMemoryMb: memoryMb };
      const walled = { walledFor: walledFor(sessionId, spec), isDriver: false, programs: argv };
      return launch(sessionId, { ...order, ...walled, stdin: "pipe" }, startWithTemp);
    },
    agents: {
      spawn: ({ slug, ...order }) => {
        const talk = { stdin: "pipe" as const, outputLimitBytes: Number.POSITIVE_INFINITY };
        return startWithTemp({ ...order, ...talk, adapter: slug, isDriver: true, programs: order.argv });
      },
      tools: (sessionId, isOnTicket) => ({
        ...issue(sessionId),
        url: `${options.url()}/mcp${isOnTicket ? ON_TICKET : ""}`,
      }),
      redactor: options.redactor,
    },
    stopAll: async (sessionId, graceMs = STOP_GRACE_MS) => {
      await Promise.all([...(running.get(sessionId) ?? [])].map((process) => process.stop({ graceMs })));
    },
    livesAt: (root) => [...living.values()].some((cwd) => isInside(root, cwd) || isInside(cwd, root)),
    sessionOfToken: keys.sessionOf,
    whenKeyless: keys.whenNone,
  };
}

function startUnseen(options: SessionProcessesOptions, order: Launch, temp: string | null): HostProcess {
  const { adapter, label, env, cwd, walledFor, isDriver, programs, toolMemoryMb = null, ...rest } = order;
  const own = { ...(toolMemoryMb === null ? options.driverEnvironment(adapter) : {}), ...env };
  const marked = {
    ...(temp === null ? {} : { TMPDIR: temp }),
    ...own,
    [MARKER_VARIABLE]: `${options.instance}:${label}`,
  };
  if (!options.isHomeInPlace()) throw new NomosError("home_unusable", { reason: "the home was moved or replaced" });
  const { shown: given = [], ...plain } = rest;
  const inside = options.grounds.some((ground) => isInside(ground, cwd));
  const tree = treeAround(options.worktrees, cwd);
  const shown = [...given, ...(tree?.readable ?? [])];
  const spec = {
    ...plain,
    shown,
    cwd,
    env: allowedEnvironment(toolMemoryMb === null ? options.environment : fewOf(options.environment), marked),
    limits: limitsFor(options.limits(), toolMemoryMb),
    readBack: [...(inside ? [cwd] : []), ...(tree === null ? [] : [tree.path]), ...(temp === null ? [] : [temp])],
  };
  if (walledFor === null) return options.host.spawn(spec);
  const raised = options.walls.raise(walledFor, {
    driver: isDriver,
    env: own,
    programs,
    shown,
    temp,
    tree: tree?.path ?? null,
  });
  return behind(raised, () =>
    options.host.spawn({ ...spec, env: { ...spec.env, ...raised.environment }, walls: raised.walls }),
  );
}

function fewOf(environment: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => TOOL_VARIABLES.test(name)));
}

function limitsFor(limits: ResourceLimits, toolMemoryMb: number | null): ResourceLimits {
  if (toolMemoryMb === null) return limits;
  return { ...limits, memoryMb: Math.min(limits.memoryMb ?? toolMemoryMb, toolMemoryMb) };
}

function walledFor(id: string, spec: SessionSpec): WalledSession | null {
  return spec.sandbox === "strict" ? { id, spec } : null;
}

/** Removes the walls when the process has ended or failed to start. */
function behind(raised: Raised, start: () => HostProcess): HostProcess {
  try {
    const process = start();
    process.exited.then(raised.lower, raised.lower);
    return process;
  } catch (thrown) {
    raised.lower();
    throw thrown;
  }
}
