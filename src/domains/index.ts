import { type Aggregate, Session } from "../kernel/index.ts";
import { AgentIdentity } from "./agents/agent.ts";
import { System } from "./system/system.ts";
import { AccessToken } from "./tokens/token.ts";

export * from "./agents/agent.ts";
export * from "./audit/merkle.ts";
export * from "./delegation/delegation.ts";
export * from "./system/ground.ts";
export * from "./system/lease.ts";
export * from "./system/log-events.ts";
export * from "./system/system.ts";
export * from "./system/workspaces.ts";
export * from "./tokens/token.ts";

/** All aggregates. To add one, make its folder and add one line here; stores and docs follow. */
export const AGGREGATES: readonly Aggregate[] = [Session, AgentIdentity, AccessToken, System];
