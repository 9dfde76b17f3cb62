import { widthOf, wrap } from "../print/screen-text.ts";
import { harmless } from "../screen/harmless.ts";
import type { Text } from "../screen/styled.ts";

/**
 * Lines that are too wide go on below, between words. A line that begins with a name and at least two spaces goes on
 * below its text, so that the names stay a column. A line of several styles is left as it is.
 */
export function fitLines(lines: readonly Text[], columns: number): readonly Text[] {
  return lines.flatMap((line) => fitLine(line, columns));
}

function fitLine(line: Text, columns: number): readonly Text[] {
  if (typeof line === "string") return brokenLine(harmless(line), columns);
  const [only] = line.parts;
  if (line.parts.length !== 1 || only === undefined) return [line];
  return fitLine(only, columns).map((part) => ({ ...line, parts: [part] }));
}

function brokenLine(line: string, columns: number): readonly string[] {
  if (widthOf(line) <= columns) return [line];
  const [start = ""] = /^ +\S+(?: \S+)* {2,}/.exec(line) ?? [];
  const indent = widthOf(start);
  if (indent === 0 || indent > columns / 2) return wrap(line, columns);
  const [first = "", ...rest] = wrap(line.slice(start.length), columns - indent);
  return [start + first, ...rest.map((part) => " ".repeat(indent) + part)];
}
