export { isEngine } from "./is-engine.ts";
export { ModelSelect, ModelsHint } from "./model-select.tsx";
