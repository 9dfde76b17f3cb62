import { createHash } from "node:crypto";
import { constants, readFileSync, readlinkSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { UNREACHABLE, unless } from "../errno.ts";

/** Remembers, from one start to the next, that bubblewrap was tried out and works. */
export interface TriedBefore {
  readonly file: string;
  /** A newer Nomos may ask more of bubblewrap. */
  readonly version: string;
}

export interface Trial {
  /** True when everything that the outcome depends on is as it was when bubblewrap worked. */
  readonly held: () => boolean;
  readonly remember: () => Promise<void>;
}

export function trialOf(bwrapPath: string, { file, version }: TriedBefore): Trial {
  const conditions = conditionsOf(bwrapPath, version);
  return {
    held: () => textOf(file) === conditions,
    // Without it, bubblewrap is tried out at the next start again.
    remember: () => writeFile(file, conditions, { mode: 0o600 }).catch(() => undefined),
  };
}

const NAMESPACES = ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"];

/** Switches that allow or forbid namespaces while the system runs. */
const SWITCHES = [
  "/proc/sys/kernel/random/boot_id",
  "/proc/sys/user/max_user_namespaces",
  "/proc/sys/kernel/unprivileged_userns_clone",
  "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
  "/proc/self/attr/current",
];

const RIGHTS = /^(Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp\w*):/;

/** This boot, this program, this process's rights and namespaces. */
function conditionsOf(bwrapPath: string, version: string): string {
  const { dev, ino, size, mode, mtimeMs, ctimeMs } = statSync(bwrapPath);
  const rights = textOf("/proc/self/status")
    .split("\n")
    .filter((line) => RIGHTS.test(line));
  const namespaces = NAMESPACES.map((name) => unless(UNREACHABLE, () => readlinkSync(`/proc/self/ns/${name}`)));
  const parts = [version, bwrapPath, dev, ino, size, mode, mtimeMs, ctimeMs, rights, namespaces, SWITCHES.map(textOf)];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** Empty for what cannot be read. Never waits for the other end of a pipe. */
function textOf(path: string): string {
  try {
    return readFileSync(path, { encoding: "latin1", flag: constants.O_RDONLY | constants.O_NONBLOCK });
  } catch {
    return "";
  }
}
