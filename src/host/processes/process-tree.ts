import { readFileSync } from "node:fs";
import { unless } from "../errno.ts";
import { isAlive, type ProcessIdentity, processIdentity } from "../pid-identity.ts";
import { type ProcessRow, processRow, processTable } from "../proc-stat.ts";
import { killUntilGone, sendSignal } from "./kill-until-gone.ts";
import { isMarked } from "./marker.ts";

/** A process and all it started. */
export interface ProcessTree {
  /** SIGTERM to every process of it. */
  terminate(): void;
  /** SIGKILL to every process of it; answers when the last is gone, with the pids of those that withstood. */
  kill(): Promise<number[]>;
}

/**
 * Without a sandbox: the process group of `rootPid`, its descendants, and whatever carries its marker. A process that
 * starts a session of its own, loses its parent *and* cleans its environment is not found; and when the daemon dies,
 * nothing ends the tree until the next daemon looks for markers.
 */
export function groupTree(rootPid: number, marker: string): ProcessTree {
  const startTicks = processRow(rootPid)?.startTicks ?? 0;
  const members = (): number[] => {
    const table = processTable();
    // No /proc (macOS; not proved by a test): the group is all that can be seen.
    if (table.length === 0) return sendSignal(-rootPid, 0) ? [-rootPid] : [];
    const below = descendants(table, rootPid);
    return table
      .filter((row) => row.startTicks >= startTicks && !row.zombie)
      .filter((row) => row.groupId === rootPid || below.has(row.pid) || isMarked(row.pid, marker))
      .map((row) => row.pid);
  };
  return {
    terminate: () => {
      for (const pid of members()) sendSignal(pid, "SIGTERM");
    },
    kill: () => killUntilGone(members),
  };
}

export interface NamespaceTree extends ProcessTree {
  /** To be called when the sandbox stands: whether the program may start in it. */
  adopt(): boolean;
}

/**
 * With a sandbox: `outerPid` is the bubblewrap process outside, its only child is pid 1 of the namespace. The kernel
 * lets that one end only after every process of the namespace has, so its end is the end of all.
 */
export function namespaceTree(outerPid: number, marker: string): NamespaceTree {
  const unready = groupTree(outerPid, marker);
  const outer = processIdentity(outerPid);
  let init: ProcessIdentity | null = null;
  let unwanted = false;
  return {
    adopt: () => {
      if (unwanted) return false;
      const pid = onlyChild(outerPid);
      init = pid === null ? null : processIdentity(pid);
      return init !== null;
    },
    terminate: () => {
      // Nothing runs yet, and nothing will.
      unwanted = init === null;
      if (init === null || !isAlive(init)) return;
      // The two bubblewrap processes must not get it: the outer one would die of it and take the tree along at once.
      for (const pid of descendants(processTable(), init.pid)) sendSignal(pid, "SIGTERM");
    },
    kill: () => {
      if (init === null) return unready.kill();
      const wall = [outer, init].filter((identity) => identity !== null);
      return killUntilGone(() => wall.filter(isAlive).map((identity) => identity.pid));
    },
  };
}

function onlyChild(pid: number): number | null {
  // Not every kernel is built with this file; the table has the same answer, slowly.
  const listed = unless(["ENOENT", "ESRCH"], () => readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1"));
  const child =
    listed === null ? processTable().find((row) => row.parentPid === pid)?.pid : Number(listed.split(" ")[0]);
  return child || null;
}

/** By parentage. In a pid namespace that is complete: an orphan there becomes a child of its pid 1. */
function descendants(table: readonly ProcessRow[], rootPid: number): Set<number> {
  const childrenOf = Map.groupBy(table, (row) => row.parentPid);
  const below = new Set<number>();
  const pending = [rootPid];
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    for (const child of childrenOf.get(pid) ?? []) {
      if (below.has(child.pid)) continue;
      below.add(child.pid);
      pending.push(child.pid);
    }
  }
  return below;
}
