import { wrap } from "../print/screen-text.ts";
import { bold, type Text } from "../screen/styled.ts";

/** Help is never wider: terminals, mails and web pages have this much room. */
export const HELP_COLUMNS = 80;
const NAME_COLUMNS_MAX = 28;
const INDENT = "  ";
const HANGING = "    ";

/** A usage in as many lines as it needs, broken between its parts: `[--limit N]` stays together. */
export function usageLines(usage: string): readonly string[] {
  const lines: string[] = [];
  for (const part of usage.match(/\[[^\]]*\](?:\.\.\.)?|\S+/g) ?? []) {
    const last = lines.at(-1);
    const joined = last === undefined ? part : `${last} ${part}`;
    if (joined.length <= HELP_COLUMNS) lines.splice(-1, 1, joined);
    else lines.push(...wrap(part, HELP_COLUMNS - HANGING.length).map((line) => HANGING + line));
  }
  return lines;
}

export function paragraph(text: string): readonly string[] {
  return wrap(text, HELP_COLUMNS);
}

/** Names with their meanings beside them. Below a name that is too long its meaning gets lines of its own. */
export function aligned(rows: readonly (readonly [name: string, meaning: string])[], title: string): readonly Text[] {
  if (rows.length === 0) return [];
  const short = rows.map(([name]) => name.length).filter((length) => length <= NAME_COLUMNS_MAX);
  const width = Math.max(8, ...short);
  const gap = INDENT.length + width + INDENT.length;
  const lines = rows.flatMap(([name, meaning]) => {
    const said = wrap(meaning, HELP_COLUMNS - gap).map((line) => " ".repeat(gap) + line);
    const names = wrap(name, HELP_COLUMNS - INDENT.length).map((line) => INDENT + line);
    const [first = "", ...rest] = said;
    if (name.length > width) return [...names, ...said];
    return [`${INDENT}${name.padEnd(width)}${first.slice(INDENT.length + width)}`, ...rest];
  });
  return ["", bold(title), ...lines.map((line) => line.trimEnd())];
}
