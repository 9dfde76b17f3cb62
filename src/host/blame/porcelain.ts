/** A line of a file and the commit that it comes from. Texts are bytes, one character each (latin1). */
export interface BlamedLine {
  readonly line: number;
  readonly text: string;
  /** Null: the line is a local change that is not committed. */
  readonly commit: string | null;
  /** Where the line was in that commit. */
  readonly origin: { readonly path: string; readonly line: number } | null;
  readonly author: string | null;
  readonly at: string | null;
  readonly summary: string | null;
}

interface Commit {
  readonly author: string;
  readonly at: string;
  readonly summary: string;
  readonly path: string;
}

/** Reads `git blame --porcelain`: what is known of a commit is told once, the path again where it changes. */
export function parsePorcelain(told: string): readonly BlamedLine[] {
  const lines: BlamedLine[] = [];
  const commits = new Map<string, Commit>();
  let place: { readonly id: string; readonly origin: number; readonly line: number } | null = null;
  let facts: Record<string, string> = {};
  for (const row of told.split("\n")) {
    if (place === null) {
      const [, id = "", origin = "", line = ""] = /^([0-9a-f]{40,64}) (\d+) (\d+)/.exec(row) ?? [];
      if (id !== "") place = { id, origin: Number(origin), line: Number(line) };
      facts = {};
      continue;
    }
    if (!row.startsWith("\t")) {
      const end = row.indexOf(" ");
      if (end > 0) facts[row.slice(0, end)] = row.slice(end + 1);
      continue;
    }
    const commit = commitOf(facts, commits.get(place.id));
    commits.set(place.id, commit);
    const isLocal = /^0+$/.test(place.id);
    const { author, at, summary, path } = commit;
    lines.push({
      line: place.line,
      text: row.slice(1),
      commit: isLocal ? null : place.id,
      origin: isLocal ? null : { path, line: place.origin },
      author: isLocal ? null : author,
      at: isLocal ? null : at,
      summary: isLocal ? null : summary,
    });
    place = null;
  }
  return lines;
}

function commitOf(facts: Readonly<Record<string, string>>, known: Commit | undefined): Commit {
  const { author, summary, filename } = facts;
  const seconds = Number(facts["author-time"] ?? Number.NaN);
  return {
    author: author === undefined ? (known?.author ?? "") : utf8(author),
    at: isTime(seconds) ? new Date(seconds * 1000).toISOString() : (known?.at ?? ""),
    summary: summary === undefined ? (known?.summary ?? "") : utf8(summary),
    path: filename === undefined ? (known?.path ?? "") : utf8(unquoted(filename)),
  };
}

/** A commit may claim any time; `Date` takes only some. */
function isTime(seconds: number): boolean {
  return Number.isFinite(seconds) && Math.abs(seconds) < 8e12;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Git quotes a path with a newline, a quote or a backslash in it as C does. */
function unquoted(path: string): string {
  if (!path.startsWith('"') || !path.endsWith('"') || path.length < 2) return path;
  return path
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)/g, (_whole, one: string) =>
      one.length === 3 ? String.fromCharCode(Number.parseInt(one, 8)) : (ESCAPES[one] ?? one),
    );
}

export function utf8(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}
