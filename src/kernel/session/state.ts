import type { TextOrBlob } from "../event-parts.ts";
import { ownEntry } from "../own-entry.ts";
import type { ArchiveRef } from "./archive-ref.ts";
import type { DriverOffer, DriverSettings, Spent } from "./driver-events.ts";
import type { SessionSpec } from "./life-events.ts";
import type { AfterQuota } from "./steps/step-events.ts";
import type { SessionStateName } from "./transitions.ts";
import type { EffectKind, Question, RedoClass } from "./turn-events.ts";
import { type ArtifactHistory, emptyView, type View } from "./view.ts";

/** The fold of a session's stream. Bounded, whatever the length of the history. */
export interface SessionState {
  readonly id: string;
  readonly stream: string;
  /** Of the last event folded; 0 before the first. */
  readonly version: number;
  readonly headId: string | null;
  readonly spec: SessionSpec | null;
  readonly label: string | null;
  readonly forkedFrom: (Point & { readonly sessionId: string }) | null;
  /** The first ancestor: forks draw on its quota. */
  readonly root: string;
  readonly phase: Phase;
  readonly openedAt: string | null;
  readonly lastOutputAt: string | null;
  readonly forgotten: boolean;
  /** Set when its data has left the log. */
  readonly archived: { readonly at: string; readonly archive: ArchiveRef | null } | null;
  /** Admitted and not started, in order of arrival. Prompts are read from their events. */
  readonly queue: readonly QueuedTurn[];
  readonly turnsEnded: number;
  /** The last few ended turns, so that a late call learns how its turn ended. */
  readonly recentTurns: readonly EndedTurn[];
  readonly effects: { readonly [effectId: string]: OpenEffect };
  readonly approvals: { readonly [approvalId: string]: PendingQuestion };
  /** Verbs that a person allowed with "always"; a rewind does not take them back. */
  readonly grants: readonly string[];
  /** Versions only rise, also after a rewind. */
  readonly artifactNext: { readonly [artifactId: string]: number };
  /** Sessions it started: those alive at the last start, and the last few others. Absent while there are none. */
  readonly children?: readonly string[];
  readonly pastChildren?: readonly string[];
  /** Lower bound for the next version of artifacts no longer in `artifactNext`. */
  readonly artifactFloor: number;
  readonly view: View;
  /** Absent until something was set or attached, and in folds of older versions. */
  readonly driver?: DriverState;
  /** A restore that has begun and is not settled: the directory may be between two states. */
  readonly restoring?: { readonly from: string; readonly to: string };
  /** Bytes of all its snapshots on disk. A rewind does not reduce it. */
  readonly snapshotBytes?: number;
  /** Its worktree, and what a person added to its scope. */
  readonly worktree?: string | null;
  readonly widened?: readonly string[];
  /** Null: taken away by a person. Absent while it has none. */
  readonly title?: string | null;
  /** Steering that no step contains yet, oldest first. Absent while there is none. */
  readonly steers?: readonly { readonly steerId: string; readonly text: TextOrBlob }[];
  /** How often the running turn was cut and went on since its last finished step. Absent for never. */
  readonly resumes?: number;
  /** How often in a row the daemon ended in the running turn without a finished step between. */
  readonly restarts?: number;
  /** A person asked to end the running turn. */
  readonly stopAsked?: true;
  /** A usage limit that was met and has not reset. */
  readonly quota?: Quota;
  /** The sum over all turns; a rewind does not take it back, a fork begins anew. */
  readonly spent?: Spent;
}

export interface Quota {
  readonly turnId: string;
  readonly until: string;
  readonly onReset: AfterQuota;
  readonly nextTurnId: string;
}

export interface DriverState {
  /** The native session's id; null when it must not be resumed, such as after a rewind. */
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

/** A point in a stream: where a fork starts and what a rewind goes back to. */
export interface Point {
  readonly stream: string;
  readonly version: number;
  readonly eventId: string;
}

/** A question without an answer yet. */
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
  /** A person allowed it and the question had a driver checkpoint: it can begin in the next daemon. */
  readonly resumes?: true;
}

export const RECENT_TURNS_KEPT = 32;

/** The option that allows the verb for the rest of the session. */
export const ALWAYS = "always";

/** The verb asked about what lies outside the scope. Such a question is for later turns: no turn waits for it. */
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

/** AIP-46 has five statuses; a state that is neither starting nor ended is `running`. */
export function aipStatus(name: SessionStateName): "starting" | "running" | "exited" | "killed" | "error" {
  return name === "idle" || name === "busy" || name === "suspended" || name === "hibernated" ? "running" : name;
}

export function pendingApprovals(state: SessionState, turnId: string): readonly PendingQuestion[] {
  return Object.values(state.approvals).filter((one) => one.turnId === turnId && one.action?.verb !== WIDEN);
}

/** Higher than every version this stream has given or inherited, whatever the view was rewound to. */
export function nextArtifactVersion(state: SessionState, history: ArtifactHistory): number {
  const numbered = ownEntry(state.artifactNext, history.artifactId) ?? state.artifactFloor;
  return Math.max(numbered, (history.versions.at(-1)?.version ?? 0) + 1);
}
