import { existsSync, readdirSync, readFileSync } from "node:fs";
import { unless } from "../errno.ts";
import { killUntilGone, sendSignal } from "./kill-until-gone.ts";
import { isMarked } from "./marker.ts";
import { isAlive, type ProcessIdentity, processIdentity } from "./pid-identity.ts";
import { type ProcessRow, processRow, processTable } from "./proc-stat.ts";

/** A process and all it started. */
export interface ProcessTree {
  /** Sends SIGTERM to every process of the tree. */
  terminate(): void;
  /** Sends SIGKILL to every process of the tree. Resolves when the last is gone, with the pids that remain. */
  kill(): Promise<number[]>;
  /** The processes running now. */
  mark(): ProcessMark;
  /** Sends SIGKILL to processes that are not in the mark. */
  killSince(mark: ProcessMark): Promise<number[]>;
}

/** The processes of a tree at one moment. */
export type ProcessMark = readonly ProcessIdentity[];

/**
 * The tree without a sandbox: the process group of `rootPid`, its descendants, and every process with its marker. A
 * process that starts its own session, loses its parent *and* clears its environment is not found. If the daemon dies,
 * the tree runs on until the next daemon looks for markers.
 */
export function groupTree(rootPid: number, marker: string): ProcessTree {
  const startTicks = processRow(rootPid)?.startTicks ?? 0;
  const members = (): number[] => {
    const table = processTable();
    // Without /proc (macOS; not tested) only the group is visible.
    if (table.length === 0) return sendSignal(-rootPid, 0) ? [-rootPid] : [];
    const below = descendants(rootPid, childrenIn(table));
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
    ...marking(members),
  };
}

export interface NamespaceTree extends ProcessTree {
  /** Call when the sandbox is ready. Returns whether the program may start in it. */
  adopt(): boolean;
  /** The pid of the first process inside, once adopted. */
  initPid(): number | null;
}

/**
 * The tree with a sandbox: `outerPid` is the bubblewrap process outside, and its only child is pid 1 of the namespace.
 * The kernel lets pid 1 end only after every other process of the namespace, so its end is the end of all.
 */
export function namespaceTree(outerPid: number, marker: string): NamespaceTree {
  const unready = groupTree(outerPid, marker);
  const outer = processIdentity(outerPid);
  let init: ProcessIdentity | null = null;
  /** The tree is to end: a program that has not started must not start. */
  let unwanted = false;
  return {
    adopt: () => {
      if (unwanted) return false;
      const [pid] = childrenNow()(outerPid);
      init = pid === undefined ? null : processIdentity(pid);
      return init !== null;
    },
    initPid: () => init?.pid ?? null,
    terminate: () => {
      unwanted = true;
      if (init === null || !isAlive(init)) return;
      // Not to the two bubblewrap processes: the outer one would die and end the tree at once.
      for (const pid of descendants(init.pid, childrenNow())) sendSignal(pid, "SIGTERM");
    },
    kill: () => {
      unwanted = true;
      if (init === null) return unready.kill();
      const wall = [outer, init].filter((identity) => identity !== null);
      return killUntilGone(() => wall.filter(isAlive).map((identity) => identity.pid));
    },
    ...marking(() => (init === null || !isAlive(init) ? [] : [...descendants(init.pid, childrenNow())])),
  };
}

function marking(members: () => readonly number[]): Pick<ProcessTree, "mark" | "killSince"> {
  const now = () => members().flatMap((pid) => processIdentity(pid) ?? []);
  const isIn = (mark: ProcessMark, { pid, startTime }: ProcessIdentity) =>
    mark.some((known) => known.pid === pid && known.startTime === startTime);
  return {
    mark: now,
    killSince: (mark) =>
      killUntilGone(() =>
        now()
          .filter((identity) => !isIn(mark, identity))
          .map(({ pid }) => pid),
      ),
  };
}

type ChildrenOf = (pid: number) => readonly number[];

/** All descendants by parent. Complete in a pid namespace, where an orphan becomes a child of pid 1. */
function descendants(rootPid: number, childrenOf: ChildrenOf): Set<number> {
  const below = new Set<number>();
  const pending = [rootPid];
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    const children = childrenOf(pid).filter((child) => !below.has(child));
    for (const child of children) below.add(child);
    pending.push(...children);
  }
  return below;
}

function childrenIn(table: readonly ProcessRow[]): ChildrenOf {
  const childrenOf = Map.groupBy(table, (row) => row.parentPid);
  return (pid) => childrenOf.get(pid)?.map((row) => row.pid) ?? [];
}

/** Uses the kernel's list of children where available, which avoids reading every process of the machine. */
function childrenNow(): ChildrenOf {
  if (!existsSync("/proc/thread-self/children")) return childrenIn(processTable());
  const gone = ["ENOENT", "ESRCH"];
  return (pid) => {
    const threads = unless(gone, () => readdirSync(`/proc/${pid}/task`)) ?? [];
    const lists = threads.map((thread) =>
      unless(gone, () => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1")),
    );
    return lists.flatMap((list) => list?.split(" ").filter(Boolean).map(Number) ?? []);
  };
}
