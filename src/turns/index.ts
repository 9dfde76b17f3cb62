export type { AgentHost, AgentOrder, Driver, Kept, TurnPort } from "./driver.ts";
export { CutError, DriverError, type EngineErrorCode, HandshakeError, QuotaError } from "./driver-error.ts";
export type { CallPlace, EffectResult, KnownCall, TurnProcess } from "./effects.ts";

export type { LoadableAttachment, LoadedEvent, Past } from "./identity.ts";
export { runLineTurn } from "./line/run-turn.ts";
export { createToolExplainer, type ExplainTool, type ToolUser } from "./permission/explain.ts";
export { type Ground, groundOf, locate, refusedByScope, warnedRules } from "./permission/ground.ts";
export { isTurnVerb, judgeWish, TURN_VERBS } from "./permission/judge-wish.ts";
export { callResource, commandResource, hostResource } from "./permission/resources.ts";
export { cutDiff, shownDiff } from "./permission/shown-diff.ts";
export { foreignTool, type UnattendedPolicy } from "./permission/tool-policy.ts";
export { createTurnGate } from "./permission/turn-gate.ts";
export { type ApprovalWaiters, createApprovalWaiters } from "./port/approval-waiters.ts";
export { keepWhole, loadText, storeText } from "./port/texts.ts";
export { createTurnPort, writtenArtifact } from "./port/turn-port.ts";
export type { Permits, Reply, Wish } from "./questions.ts";
export type { RecordedAt } from "./recording.ts";
export { type Served, type ServedPlace, serveTool } from "./serve-tool.ts";
export type {
  ServedCall,
  ServedContent,
  ServedResult,
  ServedTool,
  ServedTools,
  ToolSession,
  ToolSource,
} from "./served-tool.ts";
export type { SessionLaw } from "./session-law.ts";
export type { BegunStep, StepStart } from "./steps.ts";
