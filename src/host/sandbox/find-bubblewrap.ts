import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { errno } from "../errno.ts";
import { HostError } from "../host-error.ts";
import type { Missing } from "../machine/missing.ts";
import { findProgram } from "../processes/find-program.ts";
import { createProcessHost } from "../processes/process-host.ts";
import { sandboxArgv } from "../processes/sandbox-argv.ts";
import { removeTree } from "../trash/remove-tree.ts";
import { runConfined } from "./run-confined.ts";
import { type TriedBefore, trialOf } from "./tried-before.ts";

/** `strict` is null when its walls were tested and work. */
export type Bubblewrap = { readonly path: string; readonly strict: Missing | null } | Missing;

/**
 * Finds bubblewrap on `searchPath` (the daemon's PATH) and tests whether it can make a sandbox on this machine. With
 * `before` it is not tested again while nothing has changed since it worked.
 */
export async function findBubblewrap(
  searchPath: string,
  before?: TriedBefore,
  timeMaxMs = PROBE_MAX_MS,
): Promise<Bubblewrap> {
  if (process.platform !== "linux") {
    return { missing: `bubblewrap does not exist on ${process.platform}`, remedy: "run the daemon on Linux" };
  }
  // A relative entry depends on the daemon's current directory, which an agent may be able to write.
  const directories = searchPath.split(":").filter(isAbsolute);
  const [path] = findProgram("bwrap", { searchPath: directories.join(":"), cwd: "/" });
  if (path === undefined) return { missing: "bwrap is not on PATH", remedy: "run: apt-get install bubblewrap" };
  const trial = before === undefined ? null : trialOf(path, before);
  if (trial?.held()) return { path, strict: null };
  const [problem, strict] = await Promise.all([tryOut(path, timeMaxMs), tryStrict(path, timeMaxMs)]);
  if (problem !== null) return { missing: `${path} does not work here: ${problem}`, remedy: BROKEN_REMEDY };
  if (strict === null) await trial?.remember();
  return { path, strict };
}

/** Some hundredths of a second, but seconds while the machine is busy: the daemon goes by the answer until it ends. */
const PROBE_MAX_MS = 10_000;

const BROKEN_REMEDY =
  "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap), or run: apt-get install bubblewrap";

/** Uses the same flags as for agents: a kernel or a container may allow only some namespaces. */
async function tryOut(path: string, timeMaxMs: number): Promise<string | null> {
  const [program, ...args] = sandboxArgv({
    bwrapPath: path,
    hidden: [],
    pinned: [],
    readBack: [],
    shown: [],
    cwd: "/",
    argv: ["/bin/sh", "-c", ":"],
  });
  try {
    await promisify(execFile)(program, args, { env: {}, timeout: timeMaxMs, killSignal: "SIGKILL" });
    return null;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const stderr = "stderr" in error && typeof error.stderr === "string" ? error.stderr.trim() : "";
    return stderr || error.message;
  }
}

/**
 * Starts a `strict` sandbox and tests its walls. A refused namespace, an unloaded filter or a missing mount must be
 * found here, not by an agent.
 */
async function tryStrict(path: string, timeMaxMs: number): Promise<Missing | null> {
  let folder: string | null = null;
  try {
    // Synchronous, so that the trial runs while this thread goes on with the start.
    folder = mkdtempSync(join(tmpdir(), "nomos-walls-"));
    const [home, workspace] = [join(folder, "home"), join(folder, "workspace")];
    for (const one of [home, workspace]) mkdirSync(one);
    writeFileSync(join(home, "secret"), "");
    await using host = createProcessHost({ home, bwrapPath: path, closedRoots: [], copiesEtc: false });
    const order = { tree: workspace, argv: ["/bin/sh", "-c", PROOF], env: { SECRET: join(home, "secret") } };
    const { exitCode, stdout, stderr, timedOut } = await runConfined(host, { ...order, timeMaxMs });
    if (exitCode === 0) return null;
    if (timedOut) return { missing: `its trial took more than ${timeMaxMs} ms`, remedy: BUSY_REMEDY };
    return { missing: `its walls do not hold: ${stdout.toString().trim() || stderr.trim()}`, remedy: STRICT_REMEDY };
  } catch (thrown) {
    // The temp directory may be full or missing. Then `strict` cannot be tested, and the other modes still work.
    if (!(thrown instanceof HostError) && errno(thrown) !== undefined && thrown instanceof Error)
      return { missing: `it cannot be tried in ${tmpdir()}: ${thrown.message}`, remedy: TEMP_REMEDY };
    if (!(thrown instanceof HostError)) throw thrown;
    return { missing: thrown.message, remedy: STRICT_REMEDY };
  } finally {
    if (folder !== null) await removeTree(folder);
  }
}

const PROOF = `
fail() { echo "$1"; exit 1; }
[ ! -e "$SECRET" ] || fail "the daemon's home can be seen"
touch made || fail "the working directory cannot be written"
! touch /usr/made 2>/dev/null || fail "the system can be written"
[ "$(grep -c : /proc/net/dev)" = 1 ] || fail "there is a network"
grep -q '^CapEff:.*0000000000000000$' /proc/self/status || fail "there are capabilities"
grep -q '^NoNewPrivs:.*1$' /proc/self/status || fail "privileges can be gained"
! unshare --user true 2>/dev/null || fail "user namespaces can be made"
! chmod u+s made 2>/dev/null || fail "set-id programs can be made"
[ ! -w /proc/sys/kernel/core_pattern ] || fail "settings of the kernel can be written"
`;

const BUSY_REMEDY = "start the daemon again when the machine is less busy";
const TEMP_REMEDY =
  "make room in the temp directory, or set TMPDIR to one that can be written, and start the daemon again";
const STRICT_REMEDY =
  "install bubblewrap 0.8 or newer, and let it make user and network namespaces (in a container: --security-opt seccomp=unconfined apparmor=unconfined)";
