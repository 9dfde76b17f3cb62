import type { Decision } from "../definitions/aggregate.ts";
import { refuse } from "../refusal.ts";
import { isWorking } from "./decide-life.ts";
import { type Fact, fact } from "./events.ts";
import type { RestoredFiles } from "./snapshot-events.ts";
import { isEnded, type Point, type SessionState } from "./state.ts";
import { rewindView, type View } from "./view.ts";

/** Facts about the session's files alone; an ended session gets no more of them. */
export function recordFiles(state: SessionState, facts: readonly Fact[]): Decision {
  return isEnded(state) ? [] : facts;
}

/** What is there now is kept first (`kept`), so that the rewind can be undone. */
export function beginRestore(
  state: SessionState,
  input: { readonly from: string; readonly to: string; readonly kept: readonly Fact[] },
): Decision {
  if (isEnded(state)) return refuse("session_ended", { id: state.id, state: state.phase.at });
  if (isWorking(state)) return refuse("session_busy", { id: state.id });
  const { from, to, kept } = input;
  return [...kept, fact("restore.begun@1", { from, to })];
}

/** The files are restored: the head goes back in the same append, whatever was admitted meanwhile. */
export function finishRewind(
  state: SessionState,
  to: Point,
  view: View,
  restored: {
    readonly changed: number;
    readonly notRestored: readonly string[];
    readonly files: RestoredFiles;
    /** The files as they are now, with the changes of others left in place. */
    readonly left: readonly Fact[];
  },
): Decision {
  if (isEnded(state)) return refuse("session_ended", { id: state.id, state: state.phase.at });
  if (state.restoring === undefined) return refuse("session_busy", { id: state.id });
  const { from, to: snapshot } = state.restoring;
  const { left, ...told } = restored;
  const settled = fact("restore.settled@1", { outcome: "restored", from, to: snapshot, ...told, reason: null });
  const next = { stream: state.stream, version: state.version + 1 };
  return [fact("session.rewound@1", { to, view: rewindView(view, to, next) }), settled, ...left];
}

/** The files are rolled back; no facts if no restore is open. */
export function rollBackRestore(state: SessionState, reason: string): Decision {
  if (state.restoring === undefined) return [];
  const { from, to } = state.restoring;
  return [fact("restore.settled@1", { outcome: "rolled_back", from, to, changed: 0, notRestored: [], reason })];
}
