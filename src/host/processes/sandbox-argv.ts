import type { HiddenPath } from "./hidden-paths.ts";

export interface OpenPlan {
  readonly bwrapPath: string;
  readonly hidden: readonly HiddenPath[];
  /** Directories on the way to hidden paths; they cannot be renamed from inside. */
  readonly pinned: readonly string[];
  readonly readBack: readonly string[];
  readonly shown: readonly string[];
  readonly cwd: string;
  readonly argv: readonly string[];
}

/**
 * The bubblewrap command for sandbox mode `off`: the person's own files, network and HOME, except that
 * - a pid namespace of its own ends every process when it ends, however it was forked;
 * - the sandbox ends with the daemon (see start-gate.ts for the first moments);
 * - `hidden` paths are empty read-only directories that cannot be moved.
 *
 * It does not protect against files that an agent leaves for others to run, such as a line in the person's start-up
 * file; `strict` does. bubblewrap also sets no_new_privs, so sudo does not work inside. bubblewrap stays pid 1 (no
 * `--as-pid-1`), because an agent does not reap the orphans of its tools.
 */
export function sandboxArgv(plan: OpenPlan): [string, ...string[]] {
  return [
    plan.bwrapPath,
    ...["--unshare-pid", "--die-with-parent"],
    ...["--bind", "/", "/"],
    ...["--proc", "/proc"],
    ...(process.getuid?.() === 0 ? FOR_ROOT : ["--dev-bind", "/dev", "/dev"]),
    // A mount point cannot be renamed, so each directory is bind-mounted on itself.
    ...plan.pinned.flatMap((path) => ["--bind", path, path]),
    ...plan.hidden.flatMap(cover),
    ...plan.readBack.flatMap((path) => ["--bind", path, path]),
    ...plan.shown.flatMap((path) => ["--ro-bind", path, path]),
    ...plan.hidden.flatMap(seal),
    ...["--chdir", plan.cwd],
    "--",
    ...plan.argv,
  ];
}

function cover({ path, kind }: HiddenPath): string[] {
  return kind === "directory" ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
}

/** Made read-only after the mount points for `readBack` exist in it; those stay writable. */
function seal({ path, kind }: HiddenPath): string[] {
  return kind === "directory" ? ["--remount-ro", path] : [];
}

/**
 * Root could unmount the cover, read the disk below it, open files by handle, or have the kernel run a program outside
 * (core_pattern). So it keeps only the capabilities that a container gives to root, without mknod: enough for apt-get
 * and su. As a consequence, a bubblewrap that root starts inside needs `--unshare-user` and cannot use `--proc`.
 */
const FOR_ROOT: readonly string[] = [
  ...["--dev", "/dev"],
  // /dev/shm holds shared files, not devices.
  ...["--bind-try", "/dev/shm", "/dev/shm"],
  ...["kvm", "fuse", "net", "dri"].flatMap((name) => ["--dev-bind-try", `/dev/${name}`, `/dev/${name}`]),
  ...["/proc/sys", "/sys"].flatMap((path) => ["--ro-bind", path, path]),
  ...["--cap-drop", "ALL"],
  ...[
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "NET_BIND_SERVICE",
    "NET_RAW",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
  ].flatMap((name) => ["--cap-add", `CAP_${name}`]),
];
