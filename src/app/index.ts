export { closeInherited } from "../host/index.ts";
export {
  daemonLogPath,
  type Examination,
  type ExamineOptions,
  examine,
  type RestoreOptions,
  type RestoreReport,
  restoreHome,
} from "../services/index.ts";
export type { Daemon, DaemonOptions } from "./daemon.ts";
export { startDaemon } from "./start-daemon.ts";
