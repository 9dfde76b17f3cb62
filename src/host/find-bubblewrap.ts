import { execFile } from "node:child_process";
import { isAbsolute } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "./processes/find-program.ts";
import { sandboxArgv } from "./processes/sandbox-argv.ts";

export type Bubblewrap = { readonly path: string } | { readonly missing: string; readonly remedy: string };

/** Whether bubblewrap is on `searchPath` (the daemon's PATH) and really makes a sandbox on this machine. */
export async function findBubblewrap(searchPath: string): Promise<Bubblewrap> {
  if (process.platform !== "linux") {
    return { missing: `bubblewrap does not exist on ${process.platform}`, remedy: "run the daemon on Linux" };
  }
  // A relative entry would mean whatever directory the daemon happens to stand in, which an agent may write to.
  const directories = searchPath.split(":").filter(isAbsolute);
  const [path] = findProgram("bwrap", { searchPath: directories.join(":"), cwd: "/" });
  if (path === undefined) return { missing: "bwrap is not on PATH", remedy: "run: apt-get install bubblewrap" };
  const problem = await tryOut(path);
  return problem === null ? { path } : { missing: `${path} does not work here: ${problem}`, remedy: BROKEN_REMEDY };
}

const PROBE_MAX_MS = 2_000;

const BROKEN_REMEDY =
  "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap), or run: apt-get install bubblewrap";

/** With the very flags that agents get: a kernel or a container may allow some namespaces and not others. */
async function tryOut(path: string): Promise<string | null> {
  const [program, ...args] = sandboxArgv({
    bwrapPath: path,
    hidden: [],
    readBack: [],
    shown: [],
    cwd: "/",
    argv: ["/bin/sh", "-c", ":"],
  });
  try {
    await promisify(execFile)(program, args, { env: {}, timeout: PROBE_MAX_MS, killSignal: "SIGKILL" });
    return null;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const stderr = "stderr" in error && typeof error.stderr === "string" ? error.stderr.trim() : "";
    return stderr || error.message;
  }
}
