import { type AttemptGroup, idOf } from "../attempt.ts";
import { BACKGROUND } from "./background.ts";
import { DAEMON } from "./daemon.ts";
import { GIT } from "./git.ts";
import { NAMES } from "./names.ts";
import { POWER } from "./power.ts";
import { PROC } from "./proc.ts";
import { PROCESSES } from "./processes.ts";
import { PEOPLE, READING } from "./reading.ts";
import { SET_ID } from "./set-id.ts";
import { ENVIRONMENT, SOCKETS } from "./sockets.ts";
import { SYS } from "./sys.ts";
import { LATER, WRITING } from "./writing.ts";

/** Programs run unchanged, without walls and behind them. */
export const GROUPS: readonly AttemptGroup[] = [
  READING,
  PEOPLE,
  WRITING,
  LATER,
  GIT,
  PROC,
  SYS,
  NAMES,
  POWER,
  SET_ID,
  PROCESSES,
  SOCKETS,
  ENVIRONMENT,
  DAEMON,
  BACKGROUND,
];

const SLICE = [
  ...["read.absolute", "read.link-directory", "people.ssh-key", "write.absolute", "write.temp", "later.bashrc"],
  ...["git.hook", "git.clone", "proc.root-of-daemon", "names.mount-tmpfs", "process.kill", "socket.shell"],
  ...["daemon.token-file", "background.unmarked"],
];

/** A few of each kind, by shell alone: for agents with a shell. */
export const SHELL_SLICE: readonly AttemptGroup[] = GROUPS.map((group) => ({
  ...group,
  attempts: group.attempts.filter((attempt) => SLICE.includes(idOf(group, attempt))),
}));
