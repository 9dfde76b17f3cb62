/** The names of `TOOLS`, for the daemon, which does not load the tools themselves. */
export const TOOL_NAMES: readonly string[] = [
  "read",
  "write",
  "edit",
  "ls",
  "glob",
  "grep",
  "terminal",
  "process",
  "git",
  "todo",
  "ask_user",
  "artifact",
];
