import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unless } from "../../src/host/errno.ts";
import { systemClock } from "../../src/host/machine/clock.ts";
import type { HostProcess, ProcessExit } from "../../src/host/processes/host-process.ts";
import { sendSignal } from "../../src/host/processes/kill-until-gone.ts";
import { MARKER_VARIABLE } from "../../src/host/processes/marker.ts";
import { createProcessHost, type ProcessHost } from "../../src/host/processes/process-host.ts";
import type { ProcessSpec } from "../../src/host/processes/process-spec.ts";

/** A home with a secret in it, a workspace beside it, and a host that runs real programs: for tests of this layer. */
export interface Rehearsal extends AsyncDisposable {
  readonly directory: string;
  readonly home: string;
  readonly workspace: string;
  readonly secret: string;
  /** What the marker of every process of this rehearsal starts with. */
  readonly instance: string;
  readonly host: ProcessHost;
  readonly logged: readonly string[];
  spec(argv: readonly string[], more?: Partial<ProcessSpec>): ProcessSpec;
  /** In the script, `$0` is the instance. */
  shell(script: string, more?: Partial<ProcessSpec>): HostProcess;
}

export interface RehearsalOptions {
  readonly bwrapPath: string | null;
  readonly processesMax?: number;
  /** Default: none, which saves a look through all of the system. */
  readonly closedRoots?: readonly string[];
  /** Default: no, which saves a copy for each rehearsal. */
  readonly copiesEtc?: boolean;
}

export function rehearse({ closedRoots = [], copiesEtc = false, ...options }: RehearsalOptions): Rehearsal {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "host-")));
  const home = join(directory, "home");
  const workspace = join(directory, "workspace");
  const secret = `secret-${randomUUID()}`;
  const instance = `rehearsal-${randomUUID()}`;
  const logged: string[] = [];
  mkdirSync(join(home, "workspaces", "own"), { recursive: true });
  mkdirSync(workspace);
  writeFileSync(join(home, "token"), secret);
  const host = createProcessHost({ ...options, closedRoots, copiesEtc, home, log: (message) => logged.push(message) });
  const spec: Rehearsal["spec"] = (argv, more = {}) => ({
    argv,
    cwd: workspace,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", [MARKER_VARIABLE]: `${instance}:test` },
    stdin: "none",
    ...more,
  });
  return {
    ...{ directory, home, workspace, secret, instance, host, logged, spec },
    shell: (script, more) => host.spawn(spec(["/bin/sh", "-c", script, instance], more)),
    [Symbol.asyncDispose]: async () => {
      await host.stopAll({ graceMs: 0 });
      for (const pid of runningOf(instance)) sendSignal(pid, "SIGKILL");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export async function readAll(
  hostProcess: HostProcess,
): Promise<{ stdout: string; stderr: string; exit: ProcessExit }> {
  const texts = { stdout: "", stderr: "" };
  for await (const { stream, bytes } of hostProcess.output) texts[stream] += Buffer.from(bytes).toString();
  return { ...texts, exit: await hostProcess.exited };
}

/** A daemon as daemons are: parent gone, a session of its own, deaf to polite signals. It leaves a file `escaped`. */
export const ESCAPE = `( setsid sh -c 'trap "" TERM HUP INT; : > escaped; while :; do sleep 1; done' "$0" & ) ;`;

/** The same, and without the marker. */
export const ESCAPE_UNMARKED = ESCAPE.replace("setsid", "env -i setsid");

/** Waits until `check` answers something, and hands it on. */
export async function eventually<T>(check: () => T | null | undefined | false): Promise<T> {
  const clock = systemClock();
  for (const endMs = clock.steadyMs() + EVENTUALLY_MAX_MS; ; ) {
    const answer = check();
    if (answer !== null && answer !== undefined && answer !== false) return answer;
    if (clock.steadyMs() > endMs) throw new Error(`has not come true in ${EVENTUALLY_MAX_MS} ms: ${check}`);
    await clock.sleep(5);
  }
}

const EVENTUALLY_MAX_MS = 10_000;

/**
 * Every process that has the instance in its command line or environment. On purpose not with the code that is under
 * test; and a program that cleans its environment is found by its `$0`.
 */
export function runningOf(instance: string): number[] {
  const traces = (pid: string) =>
    ["cmdline", "environ"].map((name) =>
      unless(["ENOENT", "ESRCH", "EACCES"], () => readFileSync(`/proc/${pid}/${name}`)),
    );
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => traces(pid).some((bytes) => bytes?.includes(instance)))
    .map(Number);
}
