import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface ConfinedOptions {
  readonly bwrapPath: string;
  readonly tree: string;
}

const TREE = "/tree";
const PROGRAM = "/nomos";

/**
 * Starts the program that carries out a restore. Only the tree is writable; it has no network, no other files and an
 * empty environment, and ends with the daemon.
 */
export function startConfined({ bwrapPath, tree }: ConfinedOptions): ChildProcess {
  const program = fileURLToPath(new URL("./apply-plan.ts", import.meta.url));
  const name = program.slice(dirname(program).length + 1);
  const argv = [
    ...["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--new-session"],
    ...SYSTEM.flatMap(systemMount),
    ...["--proc", "/proc", "--dev", "/dev", "--dir", "/tmp"],
    ...["--ro-bind", process.execPath, join(PROGRAM, "node"), "--ro-bind", dirname(program), join(PROGRAM, "program")],
    ...["--bind", tree, TREE, "--remount-ro", "/"],
    ...(process.getuid?.() === 0 ? FOR_ROOT : []),
    ...["--chdir", TREE, "--", join(PROGRAM, "node"), join(PROGRAM, "program", name)],
  ];
  return spawn(bwrapPath, argv, { env: { PATH: "/usr/bin:/bin" }, stdio: ["pipe", "pipe", "pipe"] });
}

const SYSTEM = ["/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/nix"];

function systemMount(path: string): string[] {
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

/** Root may need to restore owners, in directories that are closed to it. */
const FOR_ROOT = [
  ...["--cap-drop", "ALL"],
  ...["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID"].flatMap((name) => ["--cap-add", `CAP_${name}`]),
];
