import { type ErrorEntry, entry } from "./entry.ts";

/** The machine: directories, processes, drivers, the sandbox. */
export const HOST_ERRORS = {
  cwd_hidden: entry(
    400,
    2,
    "The working directory lies inside the daemon's own home.",
    "Choose a directory outside of $NOMOS_HOME.",
  ),
  cwd_missing: entry(400, 2, "The working directory does not exist.", "Create it, or name another one with `cwd`."),
  driver_failed: entry(502, 1, "The driver failed.", "Read the message, mend the driver, and prompt again."),
  driver_file_invalid: entry(
    400,
    2,
    "The driver file cannot be loaded.",
    "Mend the file: it must parse and export one function as default.",
  ),
  driver_timeout: entry(
    504,
    1,
    "The driver did not answer in time and was ended.",
    "Look for what it waits on; raise `turnTimeoutMs` in the configuration if it needs longer.",
  ),
  file_too_large: entry(413, 2, "The file is larger than may be read at once.", "Read a part of it with a command."),
  not_installed: entry(
    501,
    6,
    "No such driver is installed.",
    "`nomos driver list` shows those there are, `nomos driver install` brings one; one of your own is an entry `drivers.<name>` in the configuration.",
  ),
  path_invalid: entry(400, 2, "This is no path.", "Take out what no path may hold: the details say what."),
  path_outside: entry(
    403,
    3,
    "The path leads out of the session's directory.",
    "Name a path below the working directory.",
  ),
  process_limit: entry(
    429,
    6,
    "As many processes run as may run.",
    "End some sessions, or raise the limit in the configuration.",
  ),
  process_spec_invalid: entry(
    400,
    2,
    "The command cannot be run as written.",
    "The message says what is wrong with it.",
  ),
  process_unkillable: entry(500, 1, "A process does not go away.", "The details name it; end it by hand."),
  program_hidden: entry(
    400,
    2,
    "The program lies where the process cannot see it.",
    "Install it outside of $NOMOS_HOME.",
  ),
  program_not_found: entry(400, 2, "There is no such program.", "Install it, or give its full path."),
  read_back_invalid: entry(
    400,
    2,
    "This part of the home cannot be shown to a process.",
    "Work in a directory outside of $NOMOS_HOME.",
  ),
  sandbox_failed: entry(500, 6, "The sandbox could not be set up.", "Run `nomos doctor`; it says what is missing."),
  sandbox_unavailable: entry(
    409,
    6,
    "The sandbox cannot be held as asked.",
    "The details say what is missing and how to get it; `nomos doctor` tries the sandbox out.",
  ),
  spawn_failed: entry(500, 1, "The process could not be started.", "The details say why."),
  stdin_closed: entry(409, 5, "Nobody reads this any more.", "Start a new process."),
  tool_unknown: entry(400, 2, "There is no such tool.", "The details list those there are."),
} as const satisfies { readonly [code: string]: ErrorEntry };
