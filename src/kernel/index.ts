export {
  type Aggregate,
  type Decision,
  defineAggregate,
  evolveBy,
  type Folding,
  foldAll,
  idIn,
  streamOf,
} from "./definitions/aggregate.ts";
export { ALARMS, type Alarm, type AlarmRow } from "./definitions/alarm.ts";
export { eraseData, together } from "./definitions/decisions.ts";
export {
  type AnyFact,
  type CustomFact,
  type DataOf,
  dataIn,
  type EventDefinitions,
  event,
  type FactOf,
  factsOf,
  isCustom,
  isCustomType,
  type Placed,
  readsOf,
  type SpaceNeed,
} from "./definitions/event.ts";
export { type Line, out } from "./definitions/line.ts";
export { defineList, type KeyValue, type List, putRow, type RowChange } from "./definitions/list.ts";
export { placeInLane, QUEUED, type Queued, type QueuedRow } from "./definitions/queue.ts";
export { COMMON_EVENTS, commonFact } from "./definitions/shared-events.ts";
export { stateRowId } from "./definitions/state-rows.ts";
export type { Continuity, TextOrBlob } from "./event-parts.ts";
export { isUuid, type NewId } from "./ids.ts";
export { canonicalJson, type Json } from "./json.ts";
export { LIMITS } from "./limits.ts";
export { memberOf, ownEntry } from "./own-entry.ts";
export { isRefusal, type Refusal, refuse } from "./refusal.ts";
export type { ArchiveRef } from "./session/archive-ref.ts";
export { admitTurnWith, askInTurn, configureDriver, type DriverFact, recordDriver } from "./session/decide-driver.ts";
export {
  type Answer,
  answerApproval,
  askApproval,
  beginEffect,
  intendEffect,
  recordAllowed,
  recordDenial,
  recordOutput,
  settleEffect,
} from "./session/decide-effect.ts";
export {
  beginRestore,
  finishRewind,
  recordFiles,
  rollBackRestore,
} from "./session/decide-files.ts";
export {
  archiveSession,
  type End,
  endSession,
  forgetSession,
  forkSession,
  hibernateSession,
  labelSession,
  openSession,
  outlivesDaemon,
  recoverSession,
  resumeSession,
  rewindSession,
  startSession,
  suspendSession,
  titleSession,
  wakeSession,
} from "./session/decide-life.ts";
export {
  addCustom,
  admitTurn,
  beginTurn,
  completeMessage,
  endStillborn,
  endTurn,
  replaceTodo,
  requestInterrupt,
  startIfFree,
  startNextTurn,
  writeArtifact,
} from "./session/decide-turn.ts";
export type {
  Attachment,
  DriverOffer,
  DriverSettings,
  OfferedOption,
  Spent,
  ToolDiff,
} from "./session/driver-events.ts";
export { type EventData, type EventType, type Fact, fact, SESSION_EVENTS, sessionFact } from "./session/events.ts";
export type { SandboxMode, SessionSpec } from "./session/life-events.ts";
export { APPROVALS, type ApprovalRow, SESSIONS, type SessionRow } from "./session/rows.ts";
export { Session } from "./session/session.ts";
export type { RestoredFiles, SnapshotOccasion, SnapshotTaken } from "./session/snapshot-events.ts";
export {
  ALWAYS,
  aipStatus,
  isEnded,
  newSessionState,
  type Point,
  pendingApprovals,
  type SessionState,
  sessionStream,
  WIDEN,
} from "./session/state.ts";
export {
  continueTurn,
  cutTooOften,
  isParked,
  reachQuota,
  startStep,
  steerTurn,
  switchDriver,
} from "./session/steps/decide-steps.ts";
export type {
  AfterQuota,
  Compaction,
  ContextPart,
  LeftBranch,
  StepPart,
  StepPurpose,
  StepStop,
} from "./session/steps/step-events.ts";
export {
  APPROVAL_TRANSITIONS,
  EFFECT_TRANSITIONS,
  SESSION_STATES,
  SESSION_TRANSITIONS,
  type Transition,
  TURN_TRANSITIONS,
  transition,
} from "./session/transitions.ts";
export {
  type EffectKind,
  isEffectKind,
  type Question,
  type QuestionDetail,
  type RedoClass,
} from "./session/turn-events.ts";
export {
  type Artifact,
  emptyView,
  inheritView,
  type PathSegment,
  rewindView,
  type TodoItem,
  type View,
} from "./session/view.ts";
