import { readdirSync, readFileSync } from "node:fs";
import { unless } from "../errno.ts";

export interface ProcessRow {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** Ended, and not yet reaped by its parent. */
  readonly zombie: boolean;
  /** Ticks since boot; a child never has fewer than its parent. */
  readonly startTicks: number;
}

/** One process from /proc, or null when it is gone. */
export function processRow(pid: number): ProcessRow | null {
  const stat = unless(["ENOENT", "ESRCH"], () => readFileSync(`/proc/${pid}/stat`, "latin1"));
  return stat === null ? null : parseStat(pid, stat);
}

/** All processes of this machine (of this pid namespace); empty without /proc. */
export function processTable(): ProcessRow[] {
  const names = unless(["ENOENT"], () => readdirSync("/proc")) ?? [];
  return names
    .filter((name) => /^\d+$/.test(name))
    .map((name) => processRow(Number(name)))
    .filter((row) => row !== null);
}

/** The program's name is in brackets and may contain brackets and blanks, so count from the last bracket. */
function parseStat(pid: number, stat: string): ProcessRow {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parentPid, groupId] = fields;
  return {
    pid,
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    zombie: state === "Z" || state === "X",
    startTicks: Number(fields[FIELD_START_TIME - FIELD_STATE]),
  };
}

/** Field numbers of proc(5), starting at one. */
const FIELD_STATE = 3;
const FIELD_START_TIME = 22;
