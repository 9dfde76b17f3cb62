import type { OutputOf } from "../../client/index.ts";
import { bold } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { spellCount } from "./spell.ts";
import { tableLines } from "./table.ts";

type SessionContext = OutputOf<"session.context">;

/** What a model is sent: a table of the parts, and how much of the window they fill. */
export function printContext(terminal: Terminal, output: unknown): void {
  const { parts, tokens, window, model } = output as SessionContext;
  const rows = parts.map((part) => [
    part.name,
    part.tokens.toLocaleString("en"),
    shareOf(part.tokens, tokens),
    part.source,
  ]);
  const fits = [undefined, undefined, undefined, { shorten: "end", drop: 1 } as const];
  for (const line of tableLines(terminal, ["PART", "TOKENS", "SHARE", "FROM"], rows, fits)) terminal.print(line);
  terminal.print(
    bold(`${spellCount(tokens)} of ${spellCount(window)} tokens (${shareOf(tokens, window)}) of ${model}'s window`),
  );
}

function shareOf(part: number, whole: number): string {
  return whole === 0 ? "" : `${Math.round((part / whole) * 100)}%`;
}
