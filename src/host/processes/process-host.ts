import { realpathSync } from "node:fs";
import { join } from "node:path";
import { UNREACHABLE, unless } from "../errno.ts";
import { HostError } from "../host-error.ts";
import { systemClock } from "../machine/clock.ts";
import type { Missing } from "../machine/missing.ts";
import type { Cgroups } from "../sandbox/cgroups.ts";
import { createHeldFiles } from "../sandbox/ground/held-files.ts";
import type { SandboxPlan } from "../sandbox/planned.ts";
import { watchClosedPaths } from "../sandbox/system/closed-paths.ts";
import { asItIs, keepPublicFolder } from "../sandbox/system/public-folder.ts";
import { systemParts } from "../sandbox/system/system-parts.ts";
import type { Walls } from "../sandbox/walls.ts";
import { type HostProcess, runningProcess, type StopOptions } from "./host-process.ts";
import { type Home, type HostLog, type Launched, launchPlain, launchSandboxed } from "./launch.ts";
import { launchStrict, planFor, type StrictMeans } from "./launch-strict.ts";
import type { ProcessSpec } from "./process-spec.ts";

export interface ProcessHostOptions {
  /** The product's state (`$NOMOS_HOME`). With a sandbox, no process started here can see it. */
  readonly home: string;
  /** Null: no sandbox. Then the home is visible, and process trees are found by searching (see process-tree.ts). */
  readonly bwrapPath: string | null;
  /** Why `strict` is not available, though bubblewrap may be installed; null when it was tested and works. */
  readonly strictMissing?: Missing | null;
  /** Limits processes inside walls together with all they start; null: no such limits. */
  readonly cgroups?: Cgroups | null;
  readonly processesMax?: number;
  /** System folders whose closed files are hidden; default: all that this user could read. */
  readonly closedRoots?: readonly string[];
  /**
   * False: /etc is shown as it is, for our own programs that read nothing there. Default: a copy of its public files.
   */
  readonly copiesEtc?: boolean;
  readonly log?: HostLog;
}

export interface ProcessHost extends AsyncDisposable {
  readonly home: string;
  /**
   * Throws a `HostError` when it cannot start. Call on a thread that lives as long as the daemon: the kernel counts the
   * forking thread as the parent, and a sandbox ends with its parent.
   */
  spawn(spec: ProcessSpec): HostProcess;
  /** What a process inside walls would see. Throws like `spawn`, and starts nothing. */
  plan(spec: ProcessSpec & { readonly walls: Walls }): SandboxPlan;
  /** Stops all running processes. */
  stopAll(options?: StopOptions): Promise<void>;
}

const PROCESSES_MAX = 256;

export function createProcessHost(options: ProcessHostOptions): ProcessHost {
  const {
    home,
    bwrapPath,
    strictMissing = null,
    cgroups = null,
    processesMax = PROCESSES_MAX,
    closedRoots = readableRoots(),
    copiesEtc = true,
    log = () => undefined,
  } = options;
  const closed = watchClosedPaths(closedRoots, systemClock());
  const copies = { source: "/etc", folder: join(realHome(home), "public-etc"), clock: systemClock() };
  const etc = copiesEtc ? keepPublicFolder(copies) : asItIs(copies.source);
  const heldFiles = createHeldFiles(systemClock());
  const running = new Set<HostProcess>();

  function spawn(spec: ProcessSpec): HostProcess {
    refuseOverLimit(running.size, processesMax);
    // Resolved each time, because a link on the way to the home may have changed.
    const homes = { home, realHome: realHome(home) };
    const launched = launch(spec, homes);
    const hostProcess = runningProcess(launched, spec.outputLimitBytes, () => {
      running.delete(hostProcess);
      launched.onGone?.();
    });
    running.add(hostProcess);
    return hostProcess;
  }

  function launch(spec: ProcessSpec, homes: Home): Launched {
    const { walls } = spec;
    if (walls !== undefined) return launchStrict(spec, walls, homes, strictMeans(), log);
    return bwrapPath === null
      ? launchPlain(spec, homes, log)
      : launchSandboxed(spec, homes, { bwrapPath, cgroups }, log);
  }

  function strictMeans(): StrictMeans {
    const missing = bwrapPath === null ? NO_BUBBLEWRAP : strictMissing;
    if (missing === null && bwrapPath !== null) return { bwrapPath, closed: closed.list(), etc, cgroups, heldFiles };
    throw strictUnavailable(missing ?? NO_BUBBLEWRAP);
  }

  function plan(spec: ProcessSpec & { readonly walls: Walls }): SandboxPlan {
    return planFor(spec, spec.walls, { home, realHome: realHome(home) }, strictMeans()).plan;
  }

  async function stopAll(stopOptions?: StopOptions): Promise<void> {
    const stops = await Promise.allSettled([...running].map((hostProcess) => hostProcess.stop(stopOptions)));
    for (const stop of stops) {
      if (stop.status === "rejected") throw stop.reason;
    }
  }

  return { home, spawn, plan, stopAll, [Symbol.asyncDispose]: () => stopAll() };
}

/** /etc is shown as a copy. Of the other system folders, a user other than root owns files only in /usr/local. */
function readableRoots(): string[] {
  if (process.getuid?.() !== 0) return ["/usr/local"];
  return systemParts().flatMap((part) =>
    "link" in part || part.path === "/etc" || part.path === NIX ? [] : [part.path],
  );
}

/** World-readable, with millions of files. */
const NIX = "/nix/store";

const NO_BUBBLEWRAP: Missing = { missing: "bubblewrap is not installed", remedy: "run: apt-get install bubblewrap" };

function strictUnavailable({ missing, remedy }: Missing): HostError {
  return new HostError("sandbox_unavailable", `strict cannot be held here: ${missing}`, {
    remedy,
    details: { missing },
  });
}

function realHome(home: string): string {
  const real = unless(UNREACHABLE, () => realpathSync(home));
  if (real !== null && real !== "/") return real;
  throw new HostError("home_unusable", `${home} cannot be the product's home`, {
    remedy: "set NOMOS_HOME to a directory that only Nomos uses",
    details: { home },
  });
}

function refuseOverLimit(running: number, processesMax: number): void {
  if (running < processesMax) return;
  throw new HostError("process_limit", `${running} processes are running`, {
    remedy: "end some sessions, or raise the limit",
    details: { processesMax },
  });
}
