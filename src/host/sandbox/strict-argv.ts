import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { UNREACHABLE, unless } from "../errno.ts";
import type { Planned, SandboxPlan } from "./planned.ts";
import { INSIDE } from "./walls.ts";

export interface StrictOrder {
  readonly bwrapPath: string;
  readonly plan: SandboxPlan;
  readonly argv: readonly string[];
  /** The descriptor from which bubblewrap reads the system call filter; null when this processor has none. */
  readonly seccompFd: number | null;
}

/**
 * The bubblewrap command for sandbox mode `strict`: an empty file system with the planned mounts, and own namespaces
 * for processes, users, IPC, host name, cgroups and network. Inside there are no capabilities and no way to gain any
 * (no_new_privs, no further user namespaces), no terminal, and nothing outlives the daemon.
 *
 * A daemon that runs as root is confined too: in its user namespace it owns root's files but has no capabilities.
 * Mounts take away what the owner of a file may do without capabilities, such as writing /proc/sys.
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
 * Files of the whole machine in the sandbox's own /proc that their owner may use without a capability. The others need
 * one. Each mount takes part of a millisecond.
 */
const MACHINE_FILES = ["sysrq-trigger", "kcore", "keys", "mtrr"];
const ASKING_FILES = ["kmsg"];
const READ_BY_OTHERS = 0o004;

/** `MACHINE_FILES`, and all others that not everybody may read: they differ between kernels. */
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

/** Made read-only after the mount points inside it exist. */
function seal(one: Planned): string[] {
  return one.kind === "cover" && one.of === "directory" ? ["--remount-ro", one.path] : [];
}
