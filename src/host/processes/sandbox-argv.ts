import type { HiddenPath } from "./hidden-paths.ts";

export interface OpenPlan {
  readonly bwrapPath: string;
  readonly hidden: readonly HiddenPath[];
  /** Directories that cannot be renamed from inside: what leads to what is hidden. */
  readonly pinned: readonly string[];
  readonly readBack: readonly string[];
  readonly shown: readonly string[];
  readonly cwd: string;
  readonly argv: readonly string[];
}

/**
 * Sandbox mode `off`: the person's own files, network and HOME, but
 * - a pid namespace of its own, whose end is the end of every process in it, however it was forked;
 * - the end of the daemon is the end of the sandbox (see start-gate.ts for the instants before that holds);
 * - what is `hidden` is an empty read-only directory, and stays where it is.
 *
 * It is no wall against what an agent leaves for others to run, such as a line in a start-up file of the person's: that
 * is what `strict` is for. bubblewrap also sets no_new_privs, so sudo and the like do not work inside. It stays pid 1 in
 * there (no `--as-pid-1`) because an agent does not reap the orphans of its tools.
 */
export function sandboxArgv(plan: OpenPlan): [string, ...string[]] {
  return [
    plan.bwrapPath,
    ...["--unshare-pid", "--die-with-parent"],
    ...["--bind", "/", "/"],
    ...["--proc", "/proc"],
    ...(process.getuid?.() === 0 ? FOR_ROOT : ["--dev-bind", "/dev", "/dev"]),
    // What something is mounted on cannot be renamed; here it is the directory itself.
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

/** After the mount points for `readBack` have been made in it; these themselves stay writable. */
function seal({ path, kind }: HiddenPath): string[] {
  return kind === "directory" ? ["--remount-ro", path] : [];
}

/**
 * Root could simply unmount the cover, read the disk below it, open files by handle, or have the kernel run a program
 * outside (core_pattern). So it keeps only what a container gives to root, less mknod: enough for apt-get and su. The
 * price: a bubblewrap that root starts inside needs `--unshare-user`, and cannot have a `--proc`.
 */
const FOR_ROOT: readonly string[] = [
  ...["--dev", "/dev"],
  // Files are shared there, not devices.
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
