import { ownEntry } from "../own-entry.ts";
import type { ArchiveRef } from "./archive-ref.ts";
import type { DriverOffer, DriverSettings } from "./driver-events.ts";
import type { SessionSpec } from "./life-events.ts";
import type { SessionStateName } from "./transitions.ts";
import type { EffectKind, Question, RedoClass } from "./turn-events.ts";
import { type ArtifactHistory, emptyView, type View } from "./view.ts";

/** The fold of a session's stream. Bounded whatever the length of the history. */
export interface SessionState {
  readonly id: string;
  readonly stream: string;
  /** Of the last event folded; 0 before the first. */
  readonly version: number;
  readonly headId: string | null;
  readonly spec: SessionSpec | null;
  readonly label: string | null;
  readonly forkedFrom: (Point & { readonly sessionId: string }) | null;
  /** The first ancestor: forks draw on its budget. */
  readonly root: string;
  readonly phase: Phase;
  readonly openedAt: string | null;
  readonly lastOutputAt: string | null;
  readonly forgotten: boolean;
  /** Its data has left the log; null while it is there. */
  readonly archived: { readonly at: string; readonly archive: ArchiveRef | null } | null;
  /** Admitted and not yet started, in order of arrival. The prompt is read from its event. */
  readonly queue: readonly QueuedTurn[];
  readonly turnsEnded: number;
  /** The last few, so that a late call learns that its turn is over and how. */
  readonly recentTurns: readonly EndedTurn[];
  readonly effects: { readonly [effectId: string]: OpenEffect };
  readonly approvals: { readonly [approvalId: string]: PendingQuestion };
  /** Verbs that a person allowed for good ("always"); a rewind does not take them back. */
  readonly grants: readonly string[];
  /** Versions only rise, also behind a rewind. */
  readonly artifactNext: { readonly [artifactId: string]: number };
  /**
   * Sessions that it started: those that were alive when it last started one, and the last few of the others. Absent as
   * long as it has started none, and in folds kept by versions that knew of none.
   */
  readonly children?: readonly string[];
  readonly pastChildren?: readonly string[];
  /** At least the next version of every artifact that `artifactNext` had to let go. */
  readonly artifactFloor: number;
  readonly view: View;
  /** Absent as long as nobody has set or attached anything, and in folds kept by versions that knew of none. */
  readonly driver?: DriverState;
  /** A restore of files that has begun and is not settled: the directory may hold something between the two. */
  readonly restoring?: { readonly from: string; readonly to: string };
  /** What its snapshots have taken on disk, all together. A rewind does not take it back. */
  readonly snapshotBytes?: number;
  /** The tree of its own that it works in, and what a person added to its scope. */
  readonly worktree?: string | null;
  readonly widened?: readonly string[];
}

export interface DriverState {
  /** What the agent's own session is called; null when it must not be gone on with, such as after a rewind. */
  readonly nativeId: string | null;
  readonly settings: DriverSettings | null;
  readonly offer: DriverOffer | null;
}

export type Phase =
  | { readonly at: "starting" }
  | { readonly at: "idle" }
  | { readonly at: "busy"; readonly turnId: string; readonly eventId: string; readonly since: string }
  | { readonly at: "suspended"; readonly reason: string }
  | { readonly at: "hibernated" }
  | { readonly at: "exited"; readonly endedAt: string; readonly exitCode: number | null }
  | { readonly at: "killed"; readonly endedAt: string }
  | { readonly at: "error"; readonly endedAt: string; readonly code: string; readonly message: string };

export interface QueuedTurn {
  readonly turnId: string;
  readonly eventId: string;
}

/** A point in a stream: what a fork starts from and a rewind goes back to. */
export interface Point {
  readonly stream: string;
  readonly version: number;
  readonly eventId: string;
}

/** A question that nobody has answered yet. */
export interface PendingQuestion extends Question {
  readonly askedAt: string;
}

export interface EndedTurn {
  readonly turnId: string;
  readonly outcome: string;
}

export interface OpenEffect {
  readonly turnId: string;
  readonly kind: EffectKind;
  readonly redo: RedoClass;
  readonly status: "intended" | "begun";
  /** A person allowed it, and the question had a checkpoint: it can begin in the next daemon. */
  readonly resumes?: true;
}

export const RECENT_TURNS_KEPT = 32;

/** The option of a gate's question that allows the verb for the rest of the session. */
export const ALWAYS = "always";

/** What is asked for when something outside of the scope was put back. */
export const WIDEN = "scope.widen";

export const NEW_DRIVER: DriverState = { nativeId: null, settings: null, offer: null };

export function newSessionState(id: string): SessionState {
  const stream = sessionStream(id);
  return {
    id,
    stream,
    version: 0,
    headId: null,
    spec: null,
    label: null,
    forkedFrom: null,
    root: id,
    phase: { at: "starting" },
    openedAt: null,
    lastOutputAt: null,
    forgotten: false,
    archived: null,
    queue: [],
    turnsEnded: 0,
    recentTurns: [],
    effects: {},
    approvals: {},
    grants: [],
    artifactNext: {},
    artifactFloor: 1,
    view: emptyView(stream),
  };
}

export function sessionStream(id: string): string {
  return `session/${id}`;
}

export function isEnded(state: SessionState): boolean {
  return state.phase.at === "exited" || state.phase.at === "killed" || state.phase.at === "error";
}

export function stateName(state: SessionState): SessionStateName {
  return state.phase.at;
}

/** AIP-46 knows five words; whatever is neither starting nor over is `running`. */
export function aipStatus(name: SessionStateName): "starting" | "running" | "exited" | "killed" | "error" {
  return name === "idle" || name === "busy" || name === "suspended" || name === "hibernated" ? "running" : name;
}

export function pendingApprovals(state: SessionState, turnId: string): readonly PendingQuestion[] {
  return Object.values(state.approvals).filter((question) => question.turnId === turnId);
}

/** Above every version this stream ever gave or inherited, whatever the view was rewound to. */
export function nextArtifactVersion(state: SessionState, history: ArtifactHistory): number {
  const numbered = ownEntry(state.artifactNext, history.artifactId) ?? state.artifactFloor;
  return Math.max(numbered, (history.versions.at(-1)?.version ?? 0) + 1);
}
