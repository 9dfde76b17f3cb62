import type { AnyTool } from "../tool.ts";
import { edit } from "./files/edit/edit.ts";
import { read } from "./files/read.ts";
import { write } from "./files/write.ts";
import { git } from "./programs/git.ts";
import { process } from "./programs/process.ts";
import { terminal } from "./programs/terminal.ts";
import { glob } from "./search/glob.ts";
import { grep } from "./search/grep.ts";
import { ls } from "./search/ls.ts";
import { artifact } from "./session/artifact.ts";
import { askUser } from "./session/ask-user.ts";
import { todo } from "./session/todo.ts";

export { checkInput, parseInput } from "./input/parse-input.ts";
export { toolSpecs } from "./input/tool-specs.ts";
export { servedTools } from "./served/served-tools.ts";
export { createPathLocks } from "./shared/path-locks.ts";
export { RESULT_CHARS_MAX } from "./shared/shown.ts";

/** The tools of every session. New ones go to the end: a provider's prompt cache holds them in this order. */
export const TOOLS: readonly AnyTool[] = [
  read,
  write,
  edit,
  ls,
  glob,
  grep,
  terminal,
  process,
  git,
  todo,
  askUser,
  artifact,
];
