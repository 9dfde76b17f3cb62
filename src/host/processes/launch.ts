import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Duplex, type Readable, type Writable } from "node:stream";
import { HostError } from "../host-error.ts";
import type { Cgroups } from "../sandbox/cgroups.ts";
import { mountPointsOf } from "../sandbox/verify-mounts.ts";
import { hiddenPaths, wayTo } from "./hidden-paths.ts";
import { MARKER_VARIABLE, uniqueMarker } from "./marker.ts";
import { checkSpec, type ProcessSpec } from "./process-spec.ts";
import { groupTree, namespaceTree, type ProcessTree } from "./process-tree.ts";
import { limitScript, OFF_PIDS_MAX, pidsScript, type ResourceLimits } from "./resource-limits.ts";
import { sandboxArgv } from "./sandbox-argv.ts";
import { GATE_FD, gatedArgv, keepGate } from "./start-gate.ts";

export type HostLog = (message: string, details: Readonly<Record<string, unknown>>) => void;

export interface Home {
  /** As configured, and as it really is. */
  readonly home: string;
  readonly realHome: string;
}

export interface Forked {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

export interface Launched extends Forked {
  readonly tree: ProcessTree;
  /** To be asked when the process has ended: what kept the program from running, or had it ended, if anything. */
  whyNotStarted(): HostError | undefined;
  /** To be called when the whole tree has gone. */
  onGone?(): void;
}

export function launchPlain(spec: ProcessSpec, home: Home, log: HostLog): Launched {
  const { argv, cwd } = checkSpec(spec, { ...home, hidden: [] });
  const marker = uniqueMarker(spec.env);
  const limited = ["/bin/sh", "-c", `${limitScript(spec.limits ?? NO_LIMITS)}exec "$@"`, "limits", ...argv];
  const forked = fork(spec.limits === undefined ? argv : limited, cwd, marker, spec, [], log);
  return { ...forked, tree: groupTree(forked.pid, marker), whyNotStarted: () => undefined };
}

export interface SandboxMeans {
  readonly bwrapPath: string;
  readonly cgroups: Cgroups | null;
}

export function launchSandboxed(spec: ProcessSpec, home: Home, means: SandboxMeans, log: HostLog): Launched {
  const { bwrapPath } = means;
  const hidden = hiddenPaths(home.realHome);
  const { argv, cwd, readBack, shown } = checkSpec(spec, { ...home, hidden: hidden.map(({ path }) => path) });
  const marker = uniqueMarker(spec.env);
  const wrapped = sandboxArgv({
    bwrapPath,
    hidden,
    pinned: wayTo(hidden),
    readBack,
    shown,
    cwd,
    argv: gatedArgv(argv, limitScript(spec.limits ?? NO_LIMITS) + pidsScript(OFF_PIDS_MAX, bwrapPath)),
  });
  const forked = fork(wrapped, cwd, marker, spec, ["pipe"], log);
  const tree = namespaceTree(forked.pid, marker);
  const gate = forked.child.stdio[GATE_FD];
  if (!(gate instanceof Duplex)) throw new Error("a process was started without its gate");
  const group = means.cgroups?.open(randomUUID(), OFF_LIMITS) ?? null;
  let started = false;
  const mayStart = () => {
    // Whoever is outside of every sandbox can still move what is to be hidden while the cover is put on.
    const init = tree.adopt() ? tree.initPid() : null;
    const points = init === null ? null : mountPointsOf(init);
    started = points !== null && hidden.every(({ path }) => points.has(path));
    if (started && init !== null) for (const pid of [init, ...tree.mark().map((one) => one.pid)]) group?.add(pid);
    return started;
  };
  keepGate(gate, mayStart, (error) => log("the start gate failed", { pid: forked.pid, error }));
  const whyNotStarted = () => (started ? undefined : sandboxFailed(bwrapPath));
  return { ...forked, tree, whyNotStarted, onGone: () => group?.close() };
}

/** A fork bomb must not take the daemon's own processes along. */
const OFF_LIMITS = { memoryMb: null, pidsMax: OFF_PIDS_MAX, cpus: null } as const;

const NO_LIMITS: ResourceLimits = { memoryMb: null, openFilesMax: null };

export function fork(
  argv: readonly string[],
  cwd: string,
  marker: string,
  spec: ProcessSpec,
  extraPipes: readonly "pipe"[],
  log: HostLog,
): Forked {
  const [program = "", ...args] = argv;
  const env = { ...spec.env, PWD: cwd, [MARKER_VARIABLE]: marker };
  const stdin = spec.stdin === "pipe" ? "pipe" : "ignore";
  const child = orRefuse(program, () =>
    // Detached: a session of its own, without the daemon's terminal, and a group that can be signalled as one.
    spawn(program, args, { cwd, env, stdio: [stdin, "pipe", "pipe", ...extraPipes], detached: true }),
  );
  // Node tells the reason later; that there is no pid it tells at once.
  child.once("error", (error) => log("a process could not be started", { program, error }));
  if (child.pid === undefined) throw spawnFailed(program);
  if (child.stdout === null || child.stderr === null) throw new Error("a process was started without its pipes");
  return { child, pid: child.pid, stdin: child.stdin, stdout: child.stdout, stderr: child.stderr };
}

function orRefuse<T>(program: string, start: () => T): T {
  try {
    return start();
  } catch (cause) {
    throw spawnFailed(program, cause);
  }
}

function spawnFailed(program: string, cause?: unknown): HostError {
  return new HostError("spawn_failed", `the system did not start ${program}`, {
    remedy: "shorten the command, or raise the limits on processes and open files (ulimit -u, ulimit -n)",
    details: { program },
    cause,
  });
}

function sandboxFailed(bwrapPath: string): HostError {
  return new HostError("sandbox_failed", "the sandbox ended before the program was started in it", {
    remedy: "read its stderr output; run `nomos doctor` to test the sandbox",
    details: { bwrapPath },
  });
}
