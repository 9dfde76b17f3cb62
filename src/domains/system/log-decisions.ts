import { commonFact, type Decision, type Fact, fact, type Refusal, refuse } from "../../kernel/index.ts";
import type { BackedUp, Collected, WorktreeApplied } from "./log-events.ts";
import type { Scanned } from "./scan-events.ts";
import { type SystemState, systemFact } from "./system.ts";

export function recordExport(state: SystemState, made: { readonly path: string; readonly size: number }): Decision {
  return noWriter(state) ?? [systemFact("log.exported@1", made)];
}

export function recordBackup(state: SystemState, made: BackedUp): Decision {
  return noWriter(state) ?? [systemFact("log.backed_up@1", made)];
}

export function recordCollection(state: SystemState, done: Collected): Decision {
  return noWriter(state) ?? [systemFact("log.collected@1", done)];
}

export function recordScan(state: SystemState, done: Scanned): Decision {
  return noWriter(state) ?? [systemFact("log.scanned@1", done)];
}

/** Recorded before the call touches the world, so that a second call with the same key does not repeat it. */
export function beginCall(state: SystemState, syscall: string): Decision {
  return noWriter(state) ?? [commonFact("call.begun@1", { syscall })];
}

export function finishCall(state: SystemState, syscall: string): Decision {
  return noWriter(state) ?? [commonFact("call.made@1", { syscall })];
}

/** A refused call that belongs to no session. */
export function recordSystemDenial(
  state: SystemState,
  denial: { readonly verb: string; readonly resource: string; readonly rules: readonly string[] },
): Decision {
  return noWriter(state) ?? [commonFact("gate.denied@1", { ...denial, turnId: null })];
}

/** A worktree whose session the log does not know, so no session's stream can record its removal. */
export function recordUnownedRemoval(state: SystemState, worktreeId: string, files: readonly Fact[]): Decision {
  return noWriter(state) ?? [...files, fact("worktree.removed@1", { worktreeId })];
}

export function recordApplied(state: SystemState, applied: WorktreeApplied): Decision {
  return noWriter(state) ?? [systemFact("worktree.applied@1", applied)];
}

/** Only the daemon that holds the home's lease records what was done: one that gave it back has stopped. */
function noWriter({ lease }: SystemState): Refusal | null {
  return lease.at === "held" ? null : refuse("stale_fence", { fence: lease.lastFence, current: lease.lastFence });
}
