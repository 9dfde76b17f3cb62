import { LIMITS, memberOf, type QuestionDetail } from "../../kernel/index.ts";
import { cutDiff, shownDiff } from "../../turns/index.ts";
import type { ToolChange } from "../update.ts";
import { commandIn } from "./wish.ts";

type Call = Omit<ToolChange, "status">;

/** What a tool call would do, as far as the agent tells it; null when it tells nothing. */
export function detailOf(call: Call, cwd: string): QuestionDetail | null {
  const changes = changesOf(call);
  const command = commandIn(call.input, String);
  const [first] = changes;
  const path = first?.path ?? pathIn(call);
  const diff = changes.length === 0 ? patchIn(call.input) : diffsOf(changes, cwd);
  const detail = {
    ...(command === null ? {} : { command: command.slice(0, LIMITS.questionChars) }),
    ...(path === null ? {} : { path: below(cwd, path).slice(0, PATH_CHARS) }),
    ...(diff === null || diff === "" ? {} : { diff }),
  };
  return Object.keys(detail).length === 0 ? null : detail;
}

const PATH_CHARS = 4096;
const DIFFS_MAX = 100;

interface Change {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** Each diff is bounded; enough of them to fill the limit are made. */
function diffsOf(changes: readonly Change[], cwd: string): string {
  let text = "";
  for (const { path, before, after } of changes.slice(0, DIFFS_MAX)) {
    text += shownDiff(below(cwd, path), before, after);
    if (text.length > LIMITS.diffChars) break;
  }
  return cutDiff(text);
}

/** As diffs, or as texts that an editing tool is given: the new file, or what is put in place of what. */
function changesOf({ content, input }: Call): readonly Change[] {
  const told = (content ?? []).flatMap((item) => (item.is === "diff" ? [item] : []));
  const path = firstText(input, FILE_KEYS);
  if (told.length > 0 || path === null) return told;
  const after = firstText(input, AFTER_KEYS);
  if (after !== null) return [{ path, before: firstText(input, BEFORE_KEYS) ?? "", after }];
  const whole = firstText(input, WHOLE_KEYS);
  return whole === null ? [] : [{ path, before: null, after: whole }];
}

const FILE_KEYS = ["file_path", "filePath", "filepath", "absolute_path", "notebook_path", "target_file", "path"];
const AFTER_KEYS = ["new_string", "newString", "new_str"];
const BEFORE_KEYS = ["old_string", "oldString", "old_str"];
const WHOLE_KEYS = ["content", "file_text"];
const PATCH_KEYS = ["diff", "patch", "unified_diff"];

function patchIn(input: unknown): string | null {
  const patch = firstText(input, PATCH_KEYS);
  return patch === null ? null : cutDiff(patch);
}

function pathIn({ places, input }: Call): string | null {
  return places?.[0]?.path ?? firstText(input, FILE_KEYS);
}

function firstText(input: unknown, keys: readonly string[]): string | null {
  const found = keys.map((key) => memberOf(input, key)).find((value) => typeof value === "string");
  return typeof found === "string" ? found : null;
}

/** Shorter where it lies in the session's directory; a diff of it can then be applied there. */
function below(cwd: string, path: string): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
