export { sessionActor, withBelow } from "./actors.ts";
export { pathsOf, type StreamItem, type Syscall } from "./define.ts";
export { dispatch, mayCall, parseInput } from "./dispatch.ts";
export { createHeavyCalls } from "./heavy-calls.ts";
export type { ListedDocument, Shown } from "./mcp-spelling.ts";
export type { Roles } from "./roles.ts";
export type { Services } from "./services.ts";
export { permissions, rolesOf, SYSCALLS } from "./table.ts";
export { createPasses } from "./ws/passes.ts";
