import { wrap } from "../print/screen-text.ts";
import { withoutRuns } from "../print/without-runs.ts";
import { harmless } from "../screen/harmless.ts";

/** More lines than this may scroll off the screen. */
const LINES_SEEN_AT_ONCE = 20;
const PLAIN_OPTION = /^[\p{L}\p{N}][\p{L}\p{N} _'.-]*$/u;

/**
 * Prints a question with all its options in full. Every line has a mark
 * in front, so that one question cannot look like two, or like an answer.
 */
export function questionLines(columns: number, question: string, options: readonly string[]): readonly string[] {
  const offered = options.length === 0 ? "" : ` [${spellOptions(options, " / ")}]`;
  const lines = wrap(withoutRuns(harmless(`${question}${offered}`)), columns - 2);
  const marked = lines.map((line, at) => `${at === 0 ? "?" : "│"} ${line}`.trimEnd());
  return lines.length <= LINES_SEEN_AT_ONCE ? marked : [...marked, `╰ ${lines.length} lines: read from the first`];
}

/** An option that contains a separator would look like two options. */
export function spellOptions(options: readonly string[], separator: string): string {
  return options.map((option) => (PLAIN_OPTION.test(option) ? option : JSON.stringify(option))).join(separator);
}
