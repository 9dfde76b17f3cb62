import { createHash } from "node:crypto";
import {
  type Bubblewrap,
  type Cgroups,
  createProcessHost,
  findCgroups,
  killMarked,
  type Missing,
  type ProcessHost,
} from "../host/index.ts";
import { type OpenedHome, setting } from "../services/index.ts";

/** Starts processes, and reports how strictly this machine can confine them. */
export interface OpenedProcessHost {
  readonly host: ProcessHost;
  /** Set in the environment of every process of this home, so that a later daemon finds leftover ones. */
  readonly instance: string;
  readonly cgroups: Cgroups;
  readonly bwrapPath: string | null;
  /** How to install bubblewrap; null when it is installed. */
  readonly remedy: string | null;
  /** Null: `strict` can be enforced. */
  readonly strictMissing: Missing | null;
}

/** First ends processes that a dead daemon left running. */
export async function openProcessHost(
  { home, config, log }: OpenedHome,
  bubblewrap: Bubblewrap,
): Promise<OpenedProcessHost> {
  const bwrapPath = "path" in bubblewrap ? bubblewrap.path : null;
  const strictMissing = "path" in bubblewrap ? bubblewrap.strict : bubblewrap;
  const instance = `nomos-${createHash("sha256").update(home).digest("hex").slice(0, 12)}`;
  const withstood = await killMarked(instance);
  if (withstood.length > 0) log.write("processes of a dead daemon could not be ended", { pids: withstood });
  const cgroups = findCgroups(instance);
  cgroups.sweep();
  const processesMax = setting(config, "processesMax");
  const host = createProcessHost({ home, bwrapPath, strictMissing, cgroups, processesMax });
  const remedy = "remedy" in bubblewrap ? bubblewrap.remedy : null;
  return { host, instance, cgroups, bwrapPath, remedy, strictMissing };
}
