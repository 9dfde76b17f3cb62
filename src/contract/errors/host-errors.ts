import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of directories, processes, drivers and the sandbox. */
export const HOST_ERRORS = {
  commit_refused: entry(
    409,
    5,
    "Git made no commit: a hook, the signature or a lock kept it from doing so.",
    "Mend what git said, or stage the files with `--no-commit` and commit them yourself.",
  ),
  cwd_hidden: entry(
    400,
    2,
    "The working directory is inside the daemon's home.",
    "Choose a directory outside $NOMOS_HOME.",
  ),
  cwd_missing: entry(
    400,
    2,
    "The working directory does not exist, or is not a directory.",
    "Create the directory, or name another one as `cwd`.",
  ),
  driver_failed: entry(502, 1, "The driver failed.", "Read the message, fix the driver, then prompt again."),
  driver_file_invalid: entry(
    400,
    2,
    "The driver file cannot be loaded.",
    "Fix the file: it must parse and export one function as default.",
  ),
  driver_timeout: entry(
    504,
    1,
    "The driver did not answer in time and was stopped.",
    "Find out what the driver waits for. If it needs longer, raise `turnTimeoutMs` with `nomos config set`.",
  ),
  file_missing: entry(404, 4, "There is no such file.", "List the folder to see what is there."),
  file_too_large: entry(
    413,
    2,
    "The file is too large to read at once.",
    "Read a part of it with a command such as `head`.",
  ),
  not_installed: entry(
    501,
    6,
    "This driver is not installed.",
    "Run `nomos driver list` to see all drivers and `nomos driver install` to get one. Add your own as `drivers.<name>` in the configuration.",
  ),
  path_invalid: entry(400, 2, "The path is not valid.", "Remove the characters that the details name."),
  path_outside: entry(
    403,
    3,
    "The path leads outside the session's directory.",
    "Name a path below the working directory.",
  ),
  process_limit: entry(
    429,
    6,
    "The limit of running processes is reached.",
    "End some sessions with `nomos kill`, or raise the limit with `nomos config set`.",
  ),
  process_spec_invalid: entry(
    400,
    2,
    "The command cannot be run as written.",
    "Correct the command; the message says what is wrong with it.",
  ),
  process_unkillable: entry(
    500,
    1,
    "A process could not be ended.",
    "End the process that the details name with `kill -9`.",
  ),
  program_hidden: entry(
    400,
    2,
    "The sandbox hides the program, because it is inside $NOMOS_HOME.",
    "Install the program outside $NOMOS_HOME.",
  ),
  program_not_found: entry(400, 2, "The program was not found.", "Install it, or give its full path."),
  read_back_invalid: entry(
    400,
    2,
    "A process may not read this part of the home.",
    "Work in a directory outside $NOMOS_HOME.",
  ),
  repository_bare: entry(
    409,
    5,
    "The repository is bare: it has no files of its own.",
    "Run it in a clone that has files: `git clone <repository>`.",
  ),
  sandbox_failed: entry(500, 6, "The sandbox could not be set up.", "Run `nomos doctor` to see what is missing."),
  sandbox_unavailable: entry(
    409,
    6,
    "This machine cannot provide the requested sandbox.",
    "Install what the details name, then run `nomos doctor` to test the sandbox.",
  ),
  spawn_failed: entry(
    500,
    1,
    "The process could not be started.",
    "Remove the cause that the details name, then try again.",
  ),
  stdin_closed: entry(409, 5, "The process no longer reads its input.", "Start a new process."),
  tool_unknown: entry(400, 2, "There is no such tool.", "Choose one of the tools in the details."),
} as const satisfies { readonly [code: string]: ErrorEntry };
