import { unifiedDiff } from "../../host/index.ts";
import { LIMITS } from "../../kernel/index.ts";

/** The change of one file, as a unified diff for the person who is asked. `before`: null for a new file. */
export function shownDiff(path: string, before: string | null, after: string): string {
  const from = before === null ? null : `a/${path}`;
  // A change of a large file is shown as if all of it were new: to look for the shortest one would take too long.
  const isLarge = (before?.length ?? 0) + after.length > COMPARED_CHARS_MAX;
  return cutDiff(unifiedDiff(isLarge ? "" : (before ?? ""), after, from, `b/${path}`) ?? "");
}

const COMPARED_CHARS_MAX = 1_048_576;
/** Room for the line that says how much is missing. */
const MARK_CHARS = 60;

/** Cut after a whole line; the last line says how many are missing. */
export function cutDiff(diff: string): string {
  if (diff.length <= LIMITS.diffChars) return diff;
  const kept = diff.slice(0, LIMITS.diffChars - MARK_CHARS);
  const whole = kept.slice(0, kept.lastIndexOf("\n") + 1) || `${kept}\n`;
  const missing = linesIn(diff) - linesIn(whole);
  return `${whole}\\ ${Math.max(missing, 1)} more lines are not shown\n`;
}

function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return text.endsWith("\n") ? lines : lines + 1;
}
