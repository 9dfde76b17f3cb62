import { createHash, randomBytes } from "node:crypto";
import { NomosError } from "../contract/index.ts";
import { allowedEnvironment, type HostProcess, MARKER_VARIABLE, type ProcessHost } from "../host/index.ts";
import type { SessionSpec } from "../kernel/index.ts";

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
  ) => HostProcess;
  /** Resolves when every process of the session, children of children included, is gone. */
  readonly stopAll: (sessionId: string, graceMs?: number) => Promise<void>;
  /** The session that a driver's token belongs to, while one of its processes lives. */
  readonly sessionOfToken: (secretHash: string) => string | null;
}

export interface SessionProcessesOptions {
  readonly host: ProcessHost;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Marks every process, so that orphans of a dead daemon can be found where there is no sandbox. */
  readonly instance: string;
  readonly workspaces: string;
  readonly url: () => string;
  readonly driverEnvironment: (adapter: string) => Readonly<Record<string, string>>;
  /** What is hidden from a process is the home by its path: once something else lies there, nothing may start. */
  readonly isHomeInPlace: () => boolean;
}

const STOP_GRACE_MS = 1500;
const OUTPUT_BYTES_MAX = 67_108_864;

export function createSessionProcesses(options: SessionProcessesOptions): SessionProcesses {
  const running = new Map<string, Set<HostProcess>>();
  const tokens = new Map<string, string>();

  const launch = (
    spec: SessionSpec,
    sessionId: string,
    argv: readonly string[],
    stdin: "none" | "pipe",
    env: Readonly<Record<string, string>>,
    outputLimitBytes: number,
  ): HostProcess => {
    const marked = {
      ...options.driverEnvironment(spec.adapter),
      ...env,
      [MARKER_VARIABLE]: `${options.instance}:${sessionId}`,
    };
    if (!options.isHomeInPlace()) throw new NomosError("home_unusable", { reason: "it is not where it was" });
    const inside = spec.cwd === options.workspaces || spec.cwd.startsWith(`${options.workspaces}/`);
    const process = options.host.spawn({
      argv,
      cwd: spec.cwd,
      env: allowedEnvironment(options.environment, marked),
      stdin,
      outputLimitBytes,
      ...(inside ? { readBack: [spec.cwd] } : {}),
    });
    const mine = running.get(sessionId) ?? new Set();
    running.set(sessionId, mine.add(process));
    const forget = () => {
      mine.delete(process);
      if (mine.size === 0) running.delete(sessionId);
    };
    process.exited.then(forget, forget);
    return process;
  };

  return {
    spawn: (spec, sessionId, argv, stdin, env) => launch(spec, sessionId, argv, stdin, env, OUTPUT_BYTES_MAX),
    spawnDriver: (spec, sessionId, argv, env) => {
      const token = `nst_${randomBytes(24).toString("hex")}`;
      const secretHash = createHash("sha256").update(token).digest("hex");
      const own = { ...env, NOMOS_TOKEN: token, NOMOS_URL: options.url(), NOMOS_SESSION_ID: sessionId };
      // What it prints is how it speaks: nothing of it is kept, and nothing of it may be thrown away.
      const process = launch(spec, sessionId, argv, "pipe", own, Number.POSITIVE_INFINITY);
      tokens.set(secretHash, sessionId);
      const forget = () => tokens.delete(secretHash);
      process.exited.then(forget, forget);
      return process;
    },
    stopAll: async (sessionId, graceMs = STOP_GRACE_MS) => {
      await Promise.all([...(running.get(sessionId) ?? [])].map((process) => process.stop({ graceMs })));
    },
    sessionOfToken: (secretHash) => tokens.get(secretHash) ?? null,
  };
}
