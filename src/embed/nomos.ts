export { ClientError } from "../client/index.ts";
export { createNomos, type EmbeddedNomos, type SessionOptions } from "./create-nomos.ts";
export type {
  ModelMessage,
  ModelPiece,
  ModelRequest,
  NomosOptions,
  PolicyAnswer,
  PolicyRequest,
  PolicyVerdict,
  ProgramModel,
  ProviderOptions,
  Question,
  Tool,
  ToolCall,
  ToolInput,
} from "./options.ts";
export type { NomosSession, PromptOptions } from "./session.ts";
export type { ApprovalEvent, TurnEnd, TurnEvent, TurnUsage } from "./turn-events.ts";
