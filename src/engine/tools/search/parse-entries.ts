export interface Entry {
  readonly kind: "directory" | "link" | "file" | "other";
  /** Relative to the listed directory. */
  readonly name: string;
  readonly size: number;
  /** Where a link leads, as it is written; else "". */
  readonly target: string;
}

/** `find -printf '%y\t%s\t%P\0%l\0'`. A torn last entry is left out. */
export function parseFound(output: string): readonly Entry[] {
  const parts = output.split("\0");
  const entries: Entry[] = [];
  for (let at = 0; at + 2 < parts.length; at += 2) {
    const [, letter = "", size = "0", name = ""] = /^(.)\t(\d+)\t(.*)$/s.exec(parts[at] ?? "") ?? [];
    entries.push({ kind: FOUND[letter] ?? "other", name, size: Number(size), target: parts[at + 1] ?? "" });
  }
  return entries;
}

/** `ls -ldnq`, one line each: mode, links, user, group, size (or two device numbers), three words of date, name. */
export function parseListed(output: string, base: string): readonly Entry[] {
  const prefix = base.endsWith("/") ? base : `${base}/`;
  return output.split("\n").flatMap((line) => {
    const [, letter = "", size = "0", rest] =
      /^(.)\S+\s+\d+\s+\d+\s+\d+\s+(?:\d+,\s*)?(\d+)\s+\S+\s+\S+\s+\S+\s(.*)$/.exec(line) ?? [];
    if (rest === undefined) return [];
    const kind = LISTED[letter] ?? "other";
    const [path = "", target = ""] = kind === "link" ? rest.split(" -> ") : [rest];
    const name = path.startsWith(prefix) ? path.slice(prefix.length) : path;
    return [{ kind, name, size: Number(size), target }];
  });
}

const FOUND: Readonly<Record<string, Entry["kind"]>> = { d: "directory", l: "link", f: "file" };
const LISTED: Readonly<Record<string, Entry["kind"]>> = { d: "directory", l: "link", "-": "file" };
