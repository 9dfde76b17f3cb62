export { type CheckedTree, checked } from "./audit-verify.ts";
export type { StreamItem, Syscall } from "./define.ts";
export { dispatch } from "./dispatch.ts";
export type { AuditService, ConfigService, Services } from "./services.ts";
export { permissions, ROLES, SYSCALLS } from "./table.ts";
