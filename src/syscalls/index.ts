export { type CheckedTree, checked } from "./audit-verify.ts";
export type { StreamItem, Syscall } from "./define.ts";
export { dispatch, mayCall, parseInput } from "./dispatch.ts";
export type { ListedDocument, Shown } from "./mcp-spelling.ts";
export type { Progress } from "./progress.ts";
export type { AuditService, BackupService, ConfigService, DriverDesk, DriverShown, Services } from "./services.ts";
export { permissions, ROLES, SYSCALLS } from "./table.ts";
export { createTickets } from "./tickets.ts";
