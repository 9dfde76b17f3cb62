import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { unless } from "../errno.ts";
import { HostError } from "../host-error.ts";
import { killUntilGone } from "./kill-until-gone.ts";
import { type ProcessRow, processTable } from "./proc-stat.ts";

/**
 * The marker, in the environment of every process of this host: `<instance id>:<session id or label>:<unique>`.
 * Children inherit it, so it finds processes that a dead daemon left without a sandbox, and processes that left their
 * group. It offers no protection: a process that clears its environment loses it.
 */
export const MARKER_VARIABLE = "NOMOS_PROCESS";

/** The unique marker of one process, based on the caller's value in `env`. */
export function uniqueMarker(env: Readonly<Record<string, string>>): string {
  return `${env[MARKER_VARIABLE] ?? "unlabelled"}:${randomUUID()}`;
}

/**
 * Running processes whose marker starts with the given parts (`a` finds `a:b`, never `ab`), except this process and its
 * ancestors. Linux only; elsewhere nothing is found.
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

/** Kills what `findMarked` finds, and what it starts meanwhile. Returns the pids that remain, normally none. */
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
