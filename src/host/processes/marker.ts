import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { unless } from "../errno.ts";
import { HostError } from "../host-error.ts";
import { killUntilGone } from "./kill-until-gone.ts";
import { type ProcessRow, processTable } from "./proc-stat.ts";

/**
 * In the environment of every process of this host: `<instance id>:<session id or label>:<unique>`. Children inherit
 * it, so it finds what a dead daemon left where no sandbox took it along, and what has left its process group. It is a
 * mark, not a wall: a process that cleans its environment loses it.
 */
export const MARKER_VARIABLE = "NOMOS_PROCESS";

/** The marker of one process: what the caller put into its environment, made unique. */
export function uniqueMarker(env: Readonly<Record<string, string>>): string {
  return `${env[MARKER_VARIABLE] ?? "unlabelled"}:${randomUUID()}`;
}

/**
 * Running processes whose marker starts with the given parts (`a` finds `a:b`, never `ab`), without this process and
 * those it runs under. Linux only; elsewhere, nothing is found.
 */
export function findMarked(prefix: string): number[] {
  if (prefix === "") {
    throw new HostError("process_spec_invalid", "an empty marker would mean every process", {
      remedy: "give the instance id the marker starts with",
    });
  }
  const table = processTable();
  const above = ancestors(table, process.pid);
  return table.filter((row) => !row.zombie && !above.has(row.pid) && isMarked(row.pid, prefix)).map((row) => row.pid);
}

/** Ends what `findMarked` finds, and what that starts meanwhile. Answers the pids that withstood, normally none. */
export function killMarked(prefix: string): Promise<number[]> {
  return killUntilGone(() => findMarked(prefix));
}

export function isMarked(pid: number, prefix: string): boolean {
  const environment = unless(["ENOENT", "ESRCH", "EACCES", "EPERM"], () =>
    readFileSync(`/proc/${pid}/environ`, "utf8"),
  );
  if (environment === null) return false;
  const exact = `${MARKER_VARIABLE}=${prefix}`;
  const start = exact.endsWith(":") ? exact : `${exact}:`;
  return environment.split("\0").some((entry) => entry === exact || entry.startsWith(start));
}

function ancestors(table: readonly ProcessRow[], pid: number): Set<number> {
  const parentOf = new Map(table.map((row) => [row.pid, row.parentPid]));
  const above = new Set<number>();
  for (let next: number | undefined = pid; next !== undefined && !above.has(next); next = parentOf.get(next))
    above.add(next);
  return above;
}
