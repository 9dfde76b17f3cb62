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
  /** The product's state (`$NOMOS_HOME`): where there is a sandbox, no process started here can see it. */
  readonly home: string;
  /** Null: no sandbox. Then the home is visible, and trees are looked for instead of held (see process-tree.ts). */
  readonly bwrapPath: string | null;
  /** Why `strict` cannot be held here, though there may be a bubblewrap; null: it has proved itself. */
  readonly strictMissing?: Missing | null;
  /** What holds a walled process to limits together with all that it starts; null: nothing does. */
  readonly cgroups?: Cgroups | null;
  readonly processesMax?: number;
  /** Folders of the system whose closed files are not shown; default: all of those that this user could read. */
  readonly closedRoots?: readonly string[];
  /** False: /etc is shown as it is, for a program of ours that asks for nothing in it. Default: a copy of what is public. */
  readonly copiesEtc?: boolean;
  readonly log?: HostLog;
}

export interface ProcessHost extends AsyncDisposable {
  readonly home: string;
  /**
   * Throws a `HostError` when it cannot start. To be called on a thread that lives as long as the daemon: to the
   * kernel the parent of a process is the thread that forked it, and a sandbox ends with its parent.
   */
  spawn(spec: ProcessSpec): HostProcess;
  /** What a walled process would see. Throws as `spawn` does, and starts nothing. */
  plan(spec: ProcessSpec & { readonly walls: Walls }): SandboxPlan;
  /** Stops everything that runs. */
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
    // Each time: a link on the way to the home may lead elsewhere by now.
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

/** /etc is a copy. Who is not root owns nothing of the rest, but for what people put into /usr/local. */
function readableRoots(): string[] {
  if (process.getuid?.() !== 0) return ["/usr/local"];
  return systemParts().flatMap((part) =>
    "link" in part || part.path === "/etc" || part.path === NIX ? [] : [part.path],
  );
}

/** Everybody may read all of it, and it has millions of files. */
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
