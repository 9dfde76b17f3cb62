export type { StreamItem, Syscall } from "./define.ts";
export { dispatch } from "./dispatch.ts";
export type { ConfigService, Services } from "./services.ts";
export { permissions, ROLES, SYSCALLS } from "./table.ts";
