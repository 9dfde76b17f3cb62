import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Duplex, type Readable, type Writable } from "node:stream";
import { HostError } from "../host-error.ts";
import type { Cgroups } from "../sandbox/cgroups.ts";
import { holdPlace } from "../sandbox/own-place.ts";
import { holdChecked, unlikeChecked } from "./as-checked.ts";
import { hiddenPaths, wayTo } from "./hidden-paths.ts";
import { MARKER_VARIABLE, uniqueMarker } from "./marker.ts";
import { checkSpec, type ProcessSpec } from "./process-spec.ts";
import { groupTree, namespaceTree, type ProcessTree } from "./process-tree.ts";
import { limitScript, OFF_PIDS_MAX, pidsScript, type ResourceLimits } from "./resource-limits.ts";
import { sandboxArgv } from "./sandbox-argv.ts";
import { GATE_FD, gatedArgv, keepGate } from "./start-gate.ts";

export type HostLog = (message: string, details: Readonly<Record<string, unknown>>) => void;

export interface Home {
  /** The configured path; `realHome` is the real one. */
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
  /** Ask after the process has ended: why the program did not run or was ended, if there is a reason. */
  whyNotStarted(): HostError | undefined;
  /** Call when the whole tree has ended. */
  onGone?(): void;
}

export function launchPlain(spec: ProcessSpec, home: Home, log: HostLog): Launched {
  const { argv, cwd } = checkSpec(spec, { ...home, hidden: [] });
  const marker = uniqueMarker(spec.env);
  const limited = ["/bin/sh", "-c", `${limitScript(spec.limits ?? NO_LIMITS)}exec "$@"`, "limits", ...argv];
  // Only Linux has a path for an open directory.
  using held = process.platform === "linux" ? holdPlace(cwd) : null;
  const place = { cwd, reached: held?.reached ?? cwd };
  const forked = fork(spec.limits === undefined ? argv : limited, place, marker, spec, [], log);
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
  using holding = new DisposableStack();
  const checked = holding.use(holdChecked(home.realHome, cwd, [...readBack, ...shown]));
  const wrapped = sandboxArgv({
    bwrapPath,
    hidden,
    pinned: wayTo(hidden),
    readBack,
    shown,
    cwd,
    argv: gatedArgv(argv, limitScript(spec.limits ?? NO_LIMITS) + pidsScript(OFF_PIDS_MAX, bwrapPath)),
  });
  const forked = fork(wrapped, { cwd, reached: checked.cwd.reached }, marker, spec, ["pipe"], log);
  const tree = namespaceTree(forked.pid, marker);
  const gate = forked.child.stdio[GATE_FD];
  if (!(gate instanceof Duplex)) throw new Error("a process was started without its gate");
  const group = means.cgroups?.open(randomUUID(), OFF_LIMITS) ?? null;
  let problem: string | null = "it ended before the program was started in it";
  const held = holding.move();
  const mayStart = () => {
    const init = tree.adopt() ? tree.initPid() : null;
    const inside = init === null ? [] : tree.mark().map(({ pid }) => pid);
    if (init !== null) problem = unlikeChecked(init, inside, hidden, checked);
    held.dispose();
    if (problem === null && init !== null) for (const pid of [init, ...inside]) group?.add(pid);
    return problem === null;
  };
  keepGate(gate, mayStart, (error) => log("the start gate failed", { pid: forked.pid, error }));
  const whyNotStarted = () => (problem === null ? undefined : sandboxFailed(problem, bwrapPath));
  const onGone = (): void => {
    held.dispose();
    group?.close();
  };
  return { ...forked, tree, whyNotStarted, onGone };
}

/** Keeps a fork bomb from exhausting the daemon's own processes. */
const OFF_LIMITS = { memoryMb: null, pidsMax: OFF_PIDS_MAX, cpus: null } as const;

const NO_LIMITS: ResourceLimits = { memoryMb: null, openFilesMax: null };

/** A working directory: its name, and a path that leads to it even after it was replaced. */
export interface WorkingPlace {
  readonly cwd: string;
  readonly reached: string;
}

export function fork(
  argv: readonly string[],
  { cwd, reached }: WorkingPlace,
  marker: string,
  spec: ProcessSpec,
  extraPipes: readonly "pipe"[],
  log: HostLog,
): Forked {
  const [program = "", ...args] = argv;
  const env = { ...spec.env, PWD: cwd, [MARKER_VARIABLE]: marker };
  const stdin = spec.stdin === "pipe" ? "pipe" : "ignore";
  const child = orRefuse(program, () =>
    // Detached: its own session without the daemon's terminal, and its own process group.
    spawn(program, args, { cwd: reached, env, stdio: [stdin, "pipe", "pipe", ...extraPipes], detached: true }),
  );
  // Node reports the reason later, but the missing pid at once.
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

function sandboxFailed(problem: string, bwrapPath: string): HostError {
  return new HostError("sandbox_failed", `nothing was started in the sandbox: ${problem}`, {
    remedy: "read what it wrote to stderr; start it again; `nomos doctor` tries the sandbox out",
    details: { bwrapPath, problem },
  });
}
