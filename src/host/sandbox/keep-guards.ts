import { lstatSync, type Stats } from "node:fs";
import { UNREACHABLE, unless } from "../errno.ts";
import { isInside } from "../files/path-inside.ts";
import type { Clock } from "../machine/clock.ts";
import { mustBeHeld } from "./ground/held-files.ts";
import type { Planned, SandboxPlan } from "./planned.ts";
import { mountPointsOf, unlike } from "./verify-mounts.ts";

export interface GuardsOrder {
  /** Of the first process inside. */
  readonly pid: number;
  readonly plan: SandboxPlan;
  readonly clock: Clock;
  /** Called once. */
  readonly onLost: (path: string) => void;
}

type Guard = Exclude<Planned, { kind: "link" }>;

/** Asking is cheap, being told is not: an agent could make so many changes that the daemon does nothing but listen. */
const ASKED_EACH_MS = 250;

/**
 * Looks, as long as a sandbox runs, whether what is read-only or hidden in its writable directories still is. Whoever is
 * outside can put another file or git dir in the place of one: the mount goes with the old one, and the new one could be
 * written. Returns how to stop looking.
 */
export function keepGuards({ pid, plan, clock, onLost }: GuardsOrder): () => void {
  const guards = guardsOf(plan);
  let isOver = guards.length === 0;
  let stopTimer = (): void => undefined;
  const ask = (): void => {
    if (isOver) return;
    const lost = lostOf(pid, guards);
    if (lost === null) stopTimer = clock.after(ASKED_EACH_MS, ask);
    else {
      isOver = true;
      onLost(lost);
    }
  };
  if (!isOver) stopTimer = clock.after(ASKED_EACH_MS, ask);
  return () => {
    isOver = true;
    stopTimer();
  };
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
 * A path that is not there has nothing to guard: what was moved away took its mount along. Nor has a file that was held
 * for its second name, once there is a plain one in its place.
 */
function needsGuard(guard: Guard): boolean {
  const found = unless<Stats>(UNREACHABLE, () => lstatSync(guard.path));
  if (found === null) return false;
  const wasHeld = guard.kind === "bind" && guard.is !== undefined;
  return !wasHeld || found.isDirectory() || mustBeHeld(found);
}

/** What lies there now counts, not what was there at the start. */
function asItLies(guard: Guard): Guard {
  if (guard.kind === "cover") return guard;
  const { is: _, ...now } = guard;
  return now;
}

/** The process has ended. */
const GONE = [...UNREACHABLE, "ESRCH", "EINVAL"];
