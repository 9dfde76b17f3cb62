export type { Examination, ExamineOptions, RestoreOptions, RestoreReport } from "../services/index.ts";
export type { Daemon, DaemonOptions } from "./daemon.ts";
export { examine, restoreHome } from "./offline.ts";
export { startDaemon } from "./start-daemon.ts";
