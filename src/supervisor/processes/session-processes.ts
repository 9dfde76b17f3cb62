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
import type { AgentHost } from "../../turns/index.ts";
import { treeAround } from "../files/worktree-around.ts";
import { createProcessTokens } from "./process-tokens.ts";
import type { Raised, SessionWalls, WalledSession } from "./session-walls.ts";
import type { TempFolders } from "./temp-folders.ts";

/** A session's processes: started for it, known by it, and gone with it. */
export interface SessionProcesses {
  readonly spawn: (
    spec: SessionSpec,
    sessionId: string,
    argv: readonly string[],
    stdin: "none" | "pipe",
    env: Readonly<Record<string, string>>,
  ) => HostProcess;
  /** The driver's own process: as above, with the session's token and the daemon's address. */
  readonly spawnDriver: (
    spec: SessionSpec,
    sessionId: string,
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
    shown?: readonly string[],
    programs?: readonly string[],
  ) => HostProcess;
  /** For agents that outlive turns: their drivers own them, and nothing here ends them. */
  readonly agents: AgentHost;
  /** Resolves when every process of the session, children of children included, is gone. */
  readonly stopAll: (sessionId: string, graceMs?: number) => Promise<void>;
  /** Whether a process of any session lives in this directory, around it or below: agents that outlive turns too. */
  readonly livesAt: (root: string) => boolean;
  /** The session that a driver's token belongs to, while one of its processes lives, or its agent has our tools. */
  readonly sessionOfToken: (secretHash: string) => string | null;
  /** Calls back once the session's last key is void, at once when it has none. Returns the way to stop. */
  readonly whenKeyless: (sessionId: string, ended: () => void) => () => void;
}

export interface SessionProcessesOptions {
  readonly host: ProcessHost;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Marks every process, so that orphans of a dead daemon can be found where there is no sandbox. */
  readonly instance: string;
  /** Folders of the home that sessions work in. */
  readonly grounds: readonly string[];
  readonly worktrees: string;
  readonly url: () => string;
  readonly driverEnvironment: (adapter: string) => Readonly<Record<string, string>>;
  /** For agents and drivers; what a session merely runs has the person's own. */
  readonly temps: TempFolders;
  /** What is hidden from a process is the home by its path: once something else lies there, nothing may start. */
  readonly isHomeInPlace: () => boolean;
  readonly limits: () => ResourceLimits;
  readonly walls: SessionWalls;
}

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
  /** Whose walls it stands behind; null: nobody's. */
  readonly walledFor: WalledSession | null;
  readonly isDriver: boolean;
  readonly programs: readonly string[];
}

export function createSessionProcesses(options: SessionProcessesOptions): SessionProcesses {
  const running = new Map<string, Set<HostProcess>>();
  const keys = createProcessTokens();
  const living = new Map<HostProcess, string>();

  const start = (order: Launch, temp: string | null = null): HostProcess => {
    const process = startUnseen(order, temp);
    living.set(process, order.cwd);
    const forget = () => void living.delete(process);
    process.exited.then(forget, forget);
    return process;
  };

  const startUnseen = (order: Launch, temp: string | null): HostProcess => {
    const { adapter, label, env, cwd, walledFor, isDriver, programs, ...rest } = order;
    const own = { ...options.driverEnvironment(adapter), ...env };
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
      env: allowedEnvironment(options.environment, marked),
      limits: options.limits(),
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

  /** Only its hash is kept: what is not there cannot be read out of a memory dump, or listed by mistake. */
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
      // What it prints is how it speaks: nothing of it is kept, and nothing of it may be thrown away.
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
    agents: {
      spawn: ({ slug, ...order }) => {
        const talk = { stdin: "pipe" as const, outputLimitBytes: Number.POSITIVE_INFINITY };
        return startWithTemp({ ...order, ...talk, adapter: slug, isDriver: true, programs: order.argv });
      },
      tools: (sessionId) => ({ ...issue(sessionId), url: `${options.url()}/mcp` }),
    },
    stopAll: async (sessionId, graceMs = STOP_GRACE_MS) => {
      await Promise.all([...(running.get(sessionId) ?? [])].map((process) => process.stop({ graceMs })));
    },
    livesAt: (root) => [...living.values()].some((cwd) => isInside(root, cwd) || isInside(cwd, root)),
    sessionOfToken: keys.sessionOf,
    whenKeyless: keys.whenNone,
  };
}

function walledFor(id: string, spec: SessionSpec): WalledSession | null {
  return spec.sandbox === "strict" ? { id, spec } : null;
}

/** The walls go when the process has gone, or has never come. */
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
