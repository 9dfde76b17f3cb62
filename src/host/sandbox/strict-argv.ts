import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { UNREACHABLE, unless } from "../errno.ts";
import type { Planned, SandboxPlan } from "./planned.ts";
import { INSIDE } from "./walls.ts";

export interface StrictOrder {
  readonly bwrapPath: string;
  readonly plan: SandboxPlan;
  readonly argv: readonly string[];
  /** Where bubblewrap reads the system call filter; null: there is none for this processor. */
  readonly seccompFd: number | null;
}

/**
 * Sandbox mode `strict`: an empty file system into which the plan is put, and namespaces of its own for processes,
 * users, IPC, host name, cgroups and network. Inside there are no capabilities, no way to more (no_new_privs, no further
 * user namespaces), no terminal of anybody's, and nothing outlives the daemon.
 *
 * Root is walled in as well: by its user namespace it owns root's files and nothing else. What the kernel lets the owner
 * of a file do without capabilities, such as to write /proc/sys, is taken away by mounts.
 */
export function strictArgv({ bwrapPath, plan, argv, seccompFd }: StrictOrder): [string, ...string[]] {
  return [
    bwrapPath,
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup", "--unshare-net"],
    ...["--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox"],
    ...(seccompFd === null ? [] : ["--seccomp", String(seccompFd)]),
    ...["--tmpfs", "/"],
    ...plan.system.flatMap(put),
    ...plan.system.flatMap(seal),
    ...["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"],
    ...machineFiles(),
    ...["--dev", "/dev"],
    ...(plan.temp === null ? ["--perms", "1777", "--tmpfs", INSIDE.temp] : ["--bind", plan.temp, INSIDE.temp]),
    ...["--dir", "/var", "--symlink", INSIDE.temp, "/var/tmp"],
    ...(plan.home === null ? ["--perms", "0700", "--tmpfs", INSIDE.home] : ["--bind", plan.home, INSIDE.home]),
    ...(plan.door === null ? [] : ["--bind", plan.door, INSIDE.door]),
    ...plan.shown.flatMap(put),
    ...plan.shown.flatMap(seal),
    ...["--remount-ro", "/", "--chdir", plan.cwd],
    "--",
    ...argv,
  ];
}

/**
 * Of the whole machine, though /proc is the sandbox's own: those for which owning them is enough. The others ask for a
 * capability. Each mount takes part of a millisecond.
 */
const MACHINE_FILES = ["sysrq-trigger", "kcore", "keys", "mtrr"];
const ASKING_FILES = ["kmsg"];
const READ_BY_OTHERS = 0o004;

/** Those, and whatever else not everybody may read: each kernel has others. */
function machineFiles(): string[] {
  const isClosed = (name: string) => {
    const found = /^\d/.test(name) ? null : unless<Stats>(UNREACHABLE, () => lstatSync(join("/proc", name)));
    if (found?.isFile() !== true || ASKING_FILES.includes(name)) return false;
    return MACHINE_FILES.includes(name) || (found.mode & READ_BY_OTHERS) === 0;
  };
  return readdirSync("/proc")
    .filter(isClosed)
    .flatMap((name) => ["--ro-bind", "/dev/null", join("/proc", name)]);
}

function put(one: Planned): string[] {
  switch (one.kind) {
    case "link":
      return ["--symlink", one.to, one.path];
    case "cover":
      return one.of === "directory" ? ["--perms", "0555", "--tmpfs", one.path] : ["--ro-bind", "/dev/null", one.path];
    case "bind":
      return [one.access === "write" ? "--bind" : "--ro-bind", one.from, one.path];
  }
}

/** After the mount points for what lies in it have been made. */
function seal(one: Planned): string[] {
  return one.kind === "cover" && one.of === "directory" ? ["--remount-ro", one.path] : [];
}
