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
export { type Daemon, type DaemonOptions, startDaemon } from "./daemon.ts";
