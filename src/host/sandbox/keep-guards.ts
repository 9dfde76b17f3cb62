import { lstatSync, type Stats } from "node:fs";
import { UNREACHABLE, unless } from "../errno.ts";
import { isInside } from "../files/path-inside.ts";
import type { Clock } from "../machine/clock.ts";
import { mustBeHeld } from "./ground/held-files.ts";
import type { Planned, SandboxPlan } from "./planned.ts";
import { mountPointsOf, unlike } from "./verify-mounts.ts";

export interface GuardsOrder {
  /** The pid of the first process inside. */
  readonly pid: number;
  readonly plan: SandboxPlan;
  readonly clock: Clock;
  /** Called at most once. */
  readonly onLost: (path: string) => void;
}

type Guard = Exclude<Planned, { kind: "link" }>;

/** Polling is cheap. With file watching, an agent could keep the daemon busy with events. */
const ASKED_EACH_MS = 250;

/**
 * Checks, while a sandbox runs, that read-only and hidden paths in its writable directories stay so. A process outside
 * can replace such a file or git dir: the mount stays with the old one, and the new one would be writable. Returns a
 * function that stops the checks.
 */
export function keepGuards({ pid, plan, clock, onLost }: GuardsOrder): () => void {
  const guards = guardsOf(plan);
  if (guards.length === 0) return () => undefined;
  const ask = (): void => {
    const lost = lostOf(pid, guards);
    if (lost === null) stopTimer = clock.after(ASKED_EACH_MS, ask);
    else onLost(lost);
  };
  let stopTimer = clock.after(ASKED_EACH_MS, ask);
  return () => stopTimer();
}

function guardsOf({ shown }: SandboxPlan): Guard[] {
  const mounts = shown.flatMap((one): Guard[] => (one.kind === "link" ? [] : [one]));
  const writable = mounts.filter((one) => one.kind === "bind" && one.access === "write");
  return mounts.filter(
    (one) =>
      (one.kind === "cover" || one.access !== "write") &&
      writable.some((outer) => outer.path !== one.path && isInside(outer.path, one.path)),
  );
}

function lostOf(pid: number, guards: readonly Guard[]): string | null {
  const mounts = unless(GONE, () => mountPointsOf(pid));
  if (mounts === null) return null;
  const isLost = (guard: Guard) => needsGuard(guard) && unlike(pid, asItLies(guard), mounts.get(guard.path)) !== null;
  return guards.find(isLost)?.path ?? null;
}

/**
 * False when the path is gone: a moved file keeps its mount. Also false when a hard-linked file was replaced by one
 * with a single link.
 */
function needsGuard(guard: Guard): boolean {
  const found = unless<Stats>(UNREACHABLE, () => lstatSync(guard.path));
  if (found === null) return false;
  const wasHeld = guard.kind === "bind" && guard.is !== undefined;
  return !wasHeld || found.isDirectory() || mustBeHeld(found);
}

/** Judges what is there now, not what was there at the start. */
function asItLies(guard: Guard): Guard {
  if (guard.kind === "cover") return guard;
  const { is: _, ...now } = guard;
  return now;
}

/** Errors that mean the process has ended. */
const GONE = [...UNREACHABLE, "ESRCH", "EINVAL"];
