import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errno, UNREACHABLE, unless } from "../errno.ts";

/** The limits of a sandbox with all its processes; null means no limit. */
export interface SandboxLimits {
  readonly memoryMb: number | null;
  readonly pidsMax: number | null;
  readonly cpus: number | null;
}

export type Controller = "memory" | "pids" | "cpu";

/** The kernel's limits for a group of processes, as far as the daemon may set them on this machine. */
export interface Cgroups {
  readonly by: "cgroup v2" | "cgroup v1" | null;
  readonly holds: readonly Controller[];
  /** Makes an empty group with these limits. */
  readonly open: (name: string, limits: SandboxLimits) => Cgroup;
  /** Removes groups that a dead daemon left. */
  readonly sweep: () => void;
}

export interface Cgroup {
  readonly add: (pid: number) => void;
  /** Call when all its processes are gone. */
  readonly close: () => void;
}

const CONTROLLERS: readonly Controller[] = ["memory", "pids", "cpu"];
const BYTES_PER_MB = 1_048_576;
const CPU_PERIOD_US = 100_000;
const REFUSED = [
  ...UNREACHABLE,
  "EROFS",
  "EBUSY",
  "EPERM",
  "EINVAL",
  "ENOSPC",
  "EOPNOTSUPP",
  "ENODEV",
  "ESRCH",
  "ENOTEMPTY",
];

interface Place {
  readonly version: 1 | 2;
  readonly folder: string;
  readonly controllers: readonly Controller[];
}

/** `prefix` starts the names of this daemon's groups. */
export function findCgroups(
  prefix: string,
  root = "/sys/fs/cgroup",
  own: string = unless(UNREACHABLE, () => readFileSync("/proc/self/cgroup", "utf8")) ?? "",
): Cgroups {
  const second = secondVersion(root, own, prefix);
  const places = second === null ? firstVersion(root, own, prefix) : [second];
  const [first] = places;
  return {
    by: first === undefined ? null : first.version === 2 ? "cgroup v2" : "cgroup v1",
    holds: CONTROLLERS.filter((controller) => places.some(({ controllers }) => controllers.includes(controller))),
    open: (name, limits) => {
      const folders = places.map((place) => {
        const folder = join(place.folder, `${prefix}-${name}`);
        allowing(() => mkdirSync(folder));
        for (const [file, text] of settings(place, limits)) allowing(() => writeFileSync(join(folder, file), text));
        return folder;
      });
      return {
        add: (pid) => {
          for (const folder of folders) allowing(() => writeFileSync(join(folder, "cgroup.procs"), String(pid)));
        },
        close: () => {
          for (const folder of folders) removeSoon(folder, REMOVALS_MAX);
        },
      };
    },
    sweep: () => {
      for (const { folder } of places)
        for (const name of unless(UNREACHABLE, () => readdirSync(folder)) ?? [])
          if (name.startsWith(`${prefix}-`)) allowing(() => rmdirSync(join(folder, name)));
    },
  };
}

/** The kernel may count an ended process for a moment longer. */
function removeSoon(folder: string, tries: number): void {
  if (!existsSync(folder) || allowing(() => rmdirSync(folder)) || tries === 0) return;
  setTimeout(() => removeSoon(folder, tries - 1), REMOVAL_PAUSE_MS).unref();
}

const REMOVALS_MAX = 20;
const REMOVAL_PAUSE_MS = 100;

function settings({ version, controllers }: Place, { memoryMb, pidsMax, cpus }: SandboxLimits): [string, string][] {
  const has = (controller: Controller) => controllers.includes(controller);
  const quota = cpus === null ? null : String(Math.round(cpus * CPU_PERIOD_US));
  const memory = memoryMb === null ? null : String(memoryMb * BYTES_PER_MB);
  return [
    ...(has("memory") && memory !== null
      ? version === 2
        ? ([
            ["memory.max", memory],
            ["memory.swap.max", "0"],
          ] satisfies [string, string][])
        : ([["memory.limit_in_bytes", memory]] satisfies [string, string][])
      : []),
    ...(has("pids") && pidsMax !== null ? ([["pids.max", String(pidsMax)]] satisfies [string, string][]) : []),
    ...(has("cpu") && quota !== null
      ? ([version === 2 ? ["cpu.max", `${quota} ${CPU_PERIOD_US}`] : ["cpu.cfs_quota_us", quota]] satisfies [
          string,
          string,
        ][])
      : []),
  ];
}

/** Only in a delegated group: a group that contains processes cannot pass controllers on to subgroups. */
function secondVersion(root: string, own: string, prefix: string): Place | null {
  const path = /^0::(.*)$/m.exec(own)?.[1];
  const base = [root, join(root, "unified")].find((folder) => existsSync(join(folder, "cgroup.controllers")));
  if (path === undefined || base === undefined) return null;
  const folder = join(base, path);
  const offered = words(join(folder, "cgroup.controllers"));
  const wanted = CONTROLLERS.filter((controller) => offered.includes(controller));
  if (wanted.length === 0) return null;
  const missing = wanted.filter((controller) => !words(join(folder, "cgroup.subtree_control")).includes(controller));
  if (missing.length > 0)
    allowing(() => writeFileSync(join(folder, "cgroup.subtree_control"), missing.map((one) => `+${one}`).join(" ")));
  const handed = words(join(folder, "cgroup.subtree_control"));
  const controllers = wanted.filter((controller) => handed.includes(controller));
  return controllers.length > 0 && mayMake(folder, prefix) ? { version: 2, folder, controllers } : null;
}

function firstVersion(root: string, own: string, prefix: string): Place[] {
  return CONTROLLERS.flatMap((controller): Place[] => {
    const line = own.split("\n").find((one) => one.split(":")[1]?.split(",").includes(controller));
    const path = line?.split(":").slice(2).join(":");
    if (path === undefined) return [];
    const folder = join(root, controller, path);
    return mayMake(folder, prefix) ? [{ version: 1, folder, controllers: [controller] }] : [];
  });
}

function mayMake(folder: string, prefix: string): boolean {
  const trial = join(folder, `${prefix}-trial-${process.pid}`);
  return allowing(() => mkdirSync(trial)) && allowing(() => rmdirSync(trial));
}

function words(file: string): string[] {
  return (unless(UNREACHABLE, () => readFileSync(file, "utf8")) ?? "").split(/\s+/).filter(Boolean);
}

/** Whether it worked. What the kernel refuses is skipped, and `holds` reports it. */
function allowing(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (thrown) {
    if (REFUSED.includes(errno(thrown) ?? "") || errno(thrown) === "EEXIST") return false;
    throw thrown;
  }
}
