import { harmless } from "../screen/harmless.ts";
import { wrap } from "./screen-text.ts";
import { withoutRuns } from "./without-runs.ts";

/** More lines than this may have scrolled away. */
const LINES_SEEN_AT_ONCE = 20;
const PLAIN_OPTION = /^[\p{L}\p{N}][\p{L}\p{N} _'.-]*$/u;

/**
 * A question with its options, whole: whoever answers can read it to its last character. Each of its lines has a mark
 * in front, so that a question of several lines cannot pass for two questions or for an answer.
 */
export function questionLines(columns: number, question: string, options: readonly string[]): readonly string[] {
  const offered = options.length === 0 ? "" : ` [${spellOptions(options, " / ")}]`;
  const lines = wrap(withoutRuns(harmless(`${question}${offered}`)), columns - 2);
  const marked = lines.map((line, at) => `${at === 0 ? "?" : "│"} ${line}`.trimEnd());
  return lines.length <= LINES_SEEN_AT_ONCE ? marked : [...marked, `╰ ${lines.length} lines: read from the first`];
}

/** An option with a separator in it would look like two. */
export function spellOptions(options: readonly string[], separator: string): string {
  return options.map((option) => (PLAIN_OPTION.test(option) ? option : JSON.stringify(option))).join(separator);
}
