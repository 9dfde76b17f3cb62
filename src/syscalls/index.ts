export type { StreamItem, Syscall } from "./define.ts";
export { dispatch, mayCall, parseInput } from "./dispatch.ts";
export { createHeavyCalls } from "./heavy-calls.ts";
export type { ListedDocument, Shown } from "./mcp-spelling.ts";
export type { Services } from "./services.ts";
export { capabilitiesOf, OPERATOR_CAPABILITIES, permissions, SYSCALLS } from "./table.ts";
export { createPasses } from "./ws/passes.ts";
