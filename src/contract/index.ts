export { CONFIG_DEFAULTS, Config, FAN_OUT_DEFAULTS, HOT_KEYS, LIMIT_DEFAULTS, WORKTREE_DEFAULTS } from "./config.ts";
export { ERROR_CATALOGUE, type ErrorCode } from "./error-catalogue.ts";
export { gatherBytes } from "./gather-bytes.ts";
export { jsonExcess } from "./json-bounds.ts";
export { CheckArgv, LANDING_DEFAULTS, LANDING_LIST_MAX, LandHow } from "./landing-config.ts";
export { type McpAddress, type McpProgram, McpServerName, McpServerSettings } from "./mcp-config.ts";
export { ENGINE_DEFAULTS, MODEL_APIS, ModelName, ProviderName, ProviderSettings } from "./models-config.ts";
export { type ErrorBody, errorBody, NomosError, refusalError, toNomosError } from "./nomos-error.ts";
export type { Progress } from "./progress.ts";
export { RADAR_DEFAULTS } from "./radar-config.ts";
export { RanInSandbox, SandboxExplained } from "./sandbox.ts";
export { SearchSettings, type WebSettings } from "./web-config.ts";
export {
  AgentWire,
  ApprovalWire,
  ArtifactWire,
  approvalWire,
  EventWire,
  SessionId,
  SessionWire,
  SpentWire,
  sessionWire,
  spentWire,
  TodoWire,
  ToolPolicyWire,
} from "./wire.ts";
