/** One line that a search printed. */
export interface MatchLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** False for a line around a match. */
  readonly isMatch: boolean;
}

/** `path NUL 12:text`, as rg and grep print with `--null`; `12-text` is context. A torn last line is left out. */
export function parseNulLines(output: string): readonly MatchLine[] {
  const found: MatchLine[] = [];
  let at = 0;
  while (at < output.length) {
    if (output.startsWith("--\n", at)) {
      at += 3;
      continue;
    }
    const nul = output.indexOf("\0", at);
    const end = nul === -1 ? -1 : output.indexOf("\n", nul);
    if (end === -1) return found;
    const match = numbered(output.slice(at, nul), output.slice(nul + 1, end));
    if (match !== null) found.push(match);
    at = end + 1;
  }
  return found;
}

/**
 * `git grep --heading --break`: the name on a line by itself, then its lines, then an empty line. With `-z` git would not
 * tell matches from context.
 */
export function parseHeadings(output: string): readonly MatchLine[] {
  const found: MatchLine[] = [];
  let path: string | null = null;
  for (const line of output.split("\n").slice(0, -1)) {
    if (line === "") path = null;
    else if (path === null) path = unquoted(line);
    else {
      const match = numbered(path, line);
      if (match !== null) found.push(match);
    }
  }
  return found;
}

function numbered(path: string, line: string): MatchLine | null {
  const [, number, mark, text = ""] = /^(\d+)([:-])(.*)$/s.exec(line) ?? [];
  if (number === undefined) return null;
  return { path, line: Number(number), text: text.replace(/\r$/, ""), isMatch: mark === ":" };
}

/** git writes a name with control characters as a C string. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  return name.slice(1, -1).replaceAll(/\\([0-7]{3}|.)/g, (_whole, code: string) => {
    if (code.length === 3) return String.fromCharCode(Number.parseInt(code, 8));
    return C_ESCAPES[code] ?? code;
  });
}

const C_ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
