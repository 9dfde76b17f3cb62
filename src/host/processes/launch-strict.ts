import { randomUUID } from "node:crypto";
import { Duplex } from "node:stream";
import { HostError } from "../host-error.ts";
import { systemClock } from "../machine/clock.ts";
import type { Cgroups } from "../sandbox/cgroups.ts";
import type { HeldFiles } from "../sandbox/ground/held-files.ts";
import { keepGuards } from "../sandbox/keep-guards.ts";
import { forwarderScript } from "../sandbox/network/forwarder.ts";
import type { SandboxPlan } from "../sandbox/planned.ts";
import { seccompFilter } from "../sandbox/seccomp/filter.ts";
import { strictArgv } from "../sandbox/strict-argv.ts";
import { strictEnvironment } from "../sandbox/strict-environment.ts";
import { isShown, strictPlan } from "../sandbox/strict-plan.ts";
import type { PublicFolder } from "../sandbox/system/public-folder.ts";
import { unlikePlan } from "../sandbox/verify-mounts.ts";
import type { Walls } from "../sandbox/walls.ts";
import { type HiddenPath, hiddenPaths } from "./hidden-paths.ts";
import { fork, type Home, type HostLog, type Launched } from "./launch.ts";
import { uniqueMarker } from "./marker.ts";
import { checkSpec, type ProcessSpec } from "./process-spec.ts";
import { namespaceTree } from "./process-tree.ts";
import { limitScript, pidsScript } from "./resource-limits.ts";
import { GATE_FD, gatedArgv, keepGate } from "./start-gate.ts";

export interface StrictMeans {
  readonly bwrapPath: string;
  /** System paths that not everybody may read. */
  readonly closed: readonly HiddenPath[];
  readonly etc: PublicFolder;
  readonly cgroups: Cgroups | null;
  readonly heldFiles: HeldFiles;
}

/** Starts a process inside the walls of its spec. Nothing runs unless the sandbox is exactly as planned. */
export function launchStrict(spec: ProcessSpec, walls: Walls, home: Home, means: StrictMeans, log: HostLog): Launched {
  const { bwrapPath } = means;
  const { plan, argv } = planFor(spec, walls, home, means);
  const filter = seccompFilter();
  const forwarder = walls.door === null ? "" : forwarderScript(walls.door.ports);
  const limits =
    limitScript(spec.limits ?? { memoryMb: null, openFilesMax: null }) +
    pidsScript(walls.limits?.pidsMax ?? null, bwrapPath);
  const wrapped = strictArgv({
    bwrapPath,
    plan,
    argv: gatedArgv(argv, limits, forwarder),
    seccompFd: filter === null ? null : FILTER_FD,
  });
  const marker = uniqueMarker(spec.env);
  const env = strictEnvironment(spec.env, walls.door);
  const forked = fork(wrapped, { cwd: plan.cwd, reached: plan.cwd }, marker, { ...spec, env }, ["pipe", "pipe"], log);
  const [gate, filterPipe] = [forked.child.stdio[GATE_FD], forked.child.stdio[FILTER_FD]];
  if (!(gate instanceof Duplex) || !(filterPipe instanceof Duplex)) throw new Error("a process lacks its pipes");
  // A bubblewrap that ends early does not read the filter; its stderr says why.
  filterPipe.on("error", () => filterPipe.destroy());
  filterPipe.end(filter ?? "");
  const tree = namespaceTree(forked.pid, marker);
  const giveBackEtc = means.etc.hold(plan.etc);
  const group = walls.limits === undefined ? null : (means.cgroups?.open(randomUUID(), walls.limits) ?? null);
  let problem: string | null = "the sandbox ended before the program was started in it";
  let stopKeeping = (): void => undefined;
  const onLost = (path: string): void => {
    problem = `${path} was replaced from outside, so it was no longer guarded`;
    log("ended a sandbox because of a problem", { pid: forked.pid, problem });
    // The wait for the process's end reports what could not be killed.
    tree.kill().catch((error: unknown) => log("a sandbox could not be ended", { pid: forked.pid, error }));
  };
  const mayStart = (): boolean => {
    if (!tree.adopt()) return false;
    const init = tree.initPid();
    problem = init === null ? "the sandbox is gone" : unlikePlan(init, plan);
    if (problem === null && init !== null && group !== null)
      for (const pid of [init, ...tree.mark().map((one) => one.pid)]) group.add(pid);
    if (problem === null && init !== null) stopKeeping = keepGuards({ pid: init, plan, clock: systemClock(), onLost });
    return problem === null;
  };
  keepGate(gate, mayStart, (error) => log("the start gate failed", { pid: forked.pid, error }));
  const whyNotStarted = () => (problem === null ? undefined : failed(problem, bwrapPath));
  return {
    ...forked,
    tree,
    whyNotStarted,
    onGone: () => {
      stopKeeping();
      giveBackEtc();
      group?.close();
    },
  };
}

/** What the process would see, and the path of its program inside. */
export function planFor(
  spec: ProcessSpec,
  walls: Walls,
  home: Home,
  { closed, etc, heldFiles }: StrictMeans,
): { readonly plan: SandboxPlan; readonly argv: readonly string[] } {
  const hidden = hiddenPaths(home.realHome);
  const { argv } = checkSpec(spec, { ...home, hidden: hidden.map(({ path }) => path) });
  const programs = walls.door === null ? walls.programs : [...walls.programs, process.execPath];
  const plan = strictPlan({
    // The given path: the plan checks what it leads to now.
    cwd: spec.cwd,
    searchPath: spec.env["PATH"] ?? "",
    walls: { ...walls, programs },
    etc: etc.current(),
    closed,
    hidden,
    personHome: spec.env["HOME"] ?? null,
    heldFiles,
  });
  const [program = ""] = argv;
  if (isShown(plan, program)) return { plan, argv };
  throw new HostError("program_hidden", `${program} cannot be seen behind the walls`, {
    remedy: "install it in the system, or name its directory in `sandbox.readable` of the configuration",
    details: { path: program },
  });
}

/** The descriptor after the gate's. */
const FILTER_FD = GATE_FD + 1;

function failed(problem: string, bwrapPath: string): HostError {
  return new HostError("sandbox_failed", `the sandbox is not as it should be: ${problem}`, {
    remedy: "read its stderr output, then start it again; run `nomos doctor` to test the sandbox",
    details: { bwrapPath, problem },
  });
}
