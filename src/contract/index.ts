export * from "./config.ts";
export * from "./error-catalogue.ts";
export * from "./gather-bytes.ts";
export * from "./json-bounds.ts";
export * from "./nomos-error.ts";
export type { Progress } from "./progress.ts";
export { RanInSandbox, SandboxExplained } from "./sandbox.ts";
export * from "./wire.ts";
