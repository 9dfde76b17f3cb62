import type { OutputOf } from "../../src/client/index.ts";

export type BlameLine = OutputOf<"blame.file">["lines"][number];

/** Lines in a row that have the same origin. */
export interface Span {
  readonly first: BlameLine;
  readonly lines: readonly BlameLine[];
}

export function spansOf(lines: readonly BlameLine[]): readonly Span[] {
  const spans: { readonly first: BlameLine; readonly lines: BlameLine[] }[] = [];
  for (const line of lines) {
    const last = spans.at(-1);
    if (last !== undefined && originOf(last.first) === originOf(line)) last.lines.push(line);
    else spans.push({ first: line, lines: [line] });
  }
  return spans;
}

/** All that a span tells of its first line has to hold for the others: above all whether it is proven. */
function originOf({ line: _line, text: _text, ...told }: BlameLine): string {
  return JSON.stringify(Object.entries(told).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** How many lines each session and each person wrote, most first. */
export function sharesOf(lines: readonly BlameLine[]): readonly (readonly [who: string, lines: number])[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(whoOf(line), (counts.get(whoOf(line)) ?? 0) + 1);
  return [...counts].toSorted((one, other) => other[1] - one[1]);
}

export function whoOf({ by, session, sessionId, author }: BlameLine): string {
  if (by === "local") return "not committed";
  return by === "session" ? (session ?? sessionId ?? "a session") : (author ?? "a person");
}
