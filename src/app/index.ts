export { closeInherited } from "../host/index.ts";
export { type Daemon, type DaemonOptions, startDaemon } from "./daemon.ts";
export { daemonLogPath } from "./daemon-log.ts";
export { type Examination, type ExamineOptions, examine } from "./examine-home.ts";
export { type RestoreOptions, type RestoreReport, restoreHome } from "./restore.ts";
