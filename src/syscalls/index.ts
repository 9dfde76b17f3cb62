export { type CheckedTree, checked } from "./audit-verify.ts";
export { pathsOf, type StreamItem, type Syscall } from "./define.ts";
export { dispatch, mayCall, parseInput } from "./dispatch.ts";
export { createHeavyCalls } from "./heavy-calls.ts";
export type { ListedDocument, Shown } from "./mcp-spelling.ts";
export { createInstruments, type Instruments } from "./metrics/instruments.ts";
export type { Progress } from "./progress.ts";
export type { RanInSandbox, SandboxExplained } from "./sandbox-shapes.ts";
export type {
  AuditService,
  BackupService,
  BoundsService,
  Census,
  ConfigService,
  DriverDesk,
  DriverShown,
  EventLoopLag,
  HomeState,
  SandboxOrder,
  SandboxService,
  Services,
  WaitingService,
} from "./services.ts";
export { permissions, ROLES, SYSCALLS } from "./table.ts";
export { createTickets } from "./tickets.ts";
