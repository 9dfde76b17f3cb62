export type { BreakerReport, Engine, ListedModel, ModelTest } from "./engine.ts";
export { createEngine } from "./host/create-engine.ts";
export {
  API_FACTS,
  builtInCatalogue,
  type Catalogue,
  type Copilot,
  createCopilot,
  LoginError,
  readCatalogue,
} from "./providers/index.ts";
export type { EngineReplay } from "./replay/replay.ts";
export { TOOL_NAMES } from "./tools/tool-names.ts";
