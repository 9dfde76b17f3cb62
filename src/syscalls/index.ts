export type { Context, Output, StreamItem, Syscall } from "./define.ts";
export { dispatch, type Request } from "./dispatch.ts";
export type { ConfigService, DaemonService, Services } from "./services.ts";
export { permissions, ROLES, SYSCALLS } from "./table.ts";
