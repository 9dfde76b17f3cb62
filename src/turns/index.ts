export type { AgentHost, AgentOrder, Driver, Kept, TurnPort } from "./driver.ts";
export { DriverError, HandshakeError } from "./driver-error.ts";

export type { LoadableAttachment, Past } from "./identity.ts";
export { runLineTurn } from "./line/run-turn.ts";
export { type ApprovalWaiters, createApprovalWaiters } from "./port/approval-waiters.ts";
export { keepWhole, loadText, storeText } from "./port/texts.ts";
export { createTurnPort, writtenArtifact } from "./port/turn-port.ts";
export type { Permits, Reply, Wish } from "./questions.ts";
