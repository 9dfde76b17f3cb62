import { dirname, relative } from "node:path/posix";
import type { Mutant } from "./mutant.ts";

/** The file that instrumented sources import, at the root of the copy. */
export const SWITCH_FILE = "mutant-switch.ts";

interface Part {
  readonly start: number;
  readonly end: number;
  readonly mutants: Mutant[];
  readonly inner: Part[];
}

const STATEMENTS = new Set(["no-call", "no-assignment", "no-throw"]);

/** All mutants of a file compiled into it: `$m(17)` says whether mutant 17 is switched on. */
export function instrument(file: string, text: string, mutants: readonly Mutant[]): string {
  if (mutants.length === 0) return text;
  const way = relative(dirname(file), SWITCH_FILE);
  const head = `import { $m } from ${JSON.stringify(way.startsWith(".") ? way : `./${way}`)};`;
  return `${head} ${write({ start: 0, end: text.length, mutants: [], inner: nest(mutants) }, text)}`;
}

/** The file with one mutant in it, as a person would have written it. */
export function withMutant(text: string, { start, end, code }: Mutant): string {
  return `${text.slice(0, start)}${code === "" ? ";" : `(${code})`}${text.slice(end)}`;
}

function nest(mutants: readonly Mutant[]): Part[] {
  const roots: Part[] = [];
  const open: Part[] = [];
  for (const mutant of mutants) {
    while (open.length > 0 && (open.at(-1)?.end ?? 0) <= mutant.start) open.pop();
    const around = open.at(-1);
    if (around?.start === mutant.start && around.end === mutant.end) {
      around.mutants.push(mutant);
      continue;
    }
    const part: Part = { start: mutant.start, end: mutant.end, mutants: [mutant], inner: [] };
    (around?.inner ?? roots).push(part);
    open.push(part);
  }
  return roots;
}

function write({ start, end, mutants, inner }: Part, text: string): string {
  let written = "";
  let at = start;
  for (const part of inner) {
    written += text.slice(at, part.start) + write(part, text);
    at = part.end;
  }
  written += text.slice(at, end);
  const [first] = mutants;
  if (first === undefined) return written;
  if (STATEMENTS.has(first.kind)) return `{ if (!$m(${first.id})) { ${written} } }`;
  return `(${mutants.map(({ id, code }) => `$m(${id}) ? (${code}) : `).join("")}(${written}))`;
}
