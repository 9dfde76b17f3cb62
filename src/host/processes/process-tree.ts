import { existsSync, readdirSync, readFileSync } from "node:fs";
import { unless } from "../errno.ts";
import { killUntilGone, sendSignal } from "./kill-until-gone.ts";
import { isMarked } from "./marker.ts";
import { isAlive, type ProcessIdentity, processIdentity } from "./pid-identity.ts";
import { type ProcessRow, processRow, processTable } from "./proc-stat.ts";

/** A process and all it started. */
export interface ProcessTree {
  /** SIGTERM to every process of it. */
  terminate(): void;
  /** SIGKILL to every process of it; answers when the last is gone, with the pids of those that withstood. */
  kill(): Promise<number[]>;
  /** All that is running of it now. */
  mark(): ProcessMark;
  /** SIGKILL to what is running of it and was not then. */
  killSince(mark: ProcessMark): Promise<number[]>;
}

/** The processes of a tree at some moment. */
export type ProcessMark = readonly ProcessIdentity[];

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
  /** To be called when the sandbox stands: whether the program may start in it. */
  adopt(): boolean;
  /** Of the first process inside, once it is adopted. */
  initPid(): number | null;
}

/**
 * With a sandbox: `outerPid` is the bubblewrap process outside, its only child is pid 1 of the namespace. The kernel
 * lets that one end only after every process of the namespace has, so its end is the end of all.
 */
export function namespaceTree(outerPid: number, marker: string): NamespaceTree {
  const unready = groupTree(outerPid, marker);
  const outer = processIdentity(outerPid);
  let init: ProcessIdentity | null = null;
  /** Somebody wants it to end; then a program that has not started will not. */
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
      // The two bubblewrap processes must not get it: the outer one would die of it and take the tree along at once.
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

/** By parentage. In a pid namespace that is complete: an orphan there becomes a child of its pid 1. */
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

/** As the kernel lists them, thread by thread, where it is built to; that spares reading every process of the machine. */
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
