import type { RepositoryGit } from "../../host/index.ts";
import type { RefPlace } from "./ref-place.ts";

/** Texts of documents by the id of their commit. An id never means another text, so they are kept in memory. */
export interface TextReader {
  /** Null for an object that is missing, too large, or no document of ours. */
  readonly textsOf: (place: RefPlace, oids: readonly string[]) => Promise<ReadonlyMap<string, string | null>>;
  readonly textOf: (place: RefPlace, oid: string) => Promise<string | null>;
  readonly know: (oid: string, text: string) => void;
  /** The commits that this clone does not have. */
  readonly missing: (place: RefPlace, oids: readonly string[]) => Promise<readonly string[]>;
}

/** With the header of its commit. */
const DOCUMENT_BYTES_MAX = 1_048_576;
const KNOWN_CHARS_MAX = 16_777_216;
const OUTPUT_BYTES_MAX = 33_554_432;
/** The line that git puts before an object, and the end behind it. */
const LINE_BYTES = 100;

export function createTextReader(git: RepositoryGit, emptyTrees: Readonly<Record<string, string>>): TextReader {
  const known = new Map<string, string>();
  let chars = 0;
  const know = (oid: string, text: string): void => {
    if (known.has(oid)) return;
    known.set(oid, text);
    chars += text.length;
    for (const [oldest, its] of known) {
      if (chars <= KNOWN_CHARS_MAX) return;
      known.delete(oldest);
      chars -= its.length;
    }
  };
  const sizes = async ({ commonDir }: RefPlace, oids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    const told = await git.text(["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"], {
      gitDir: commonDir,
      input: `${oids.join("\n")}\n`,
    });
    const lines = told.split("\n").map((line) => line.split(" "));
    return new Map(lines.flatMap(([oid = "", type, size]) => (type === "commit" ? [[oid, Number(size)]] : [])));
  };
  const read = async (place: RefPlace, oids: readonly string[], into: Map<string, string | null>): Promise<void> => {
    const input = `${oids.join("\n")}\n`;
    const limits = { gitDir: place.commonDir, input, outputBytesMax: OUTPUT_BYTES_MAX };
    for (const [oid, raw] of objectsIn(await git.must(["cat-file", "--batch"], limits))) {
      const text = messageOf(raw, emptyTrees[place.objectFormat] ?? "");
      into.set(oid, text);
      if (text !== null) know(oid, text);
    }
  };
  const textsOf: TextReader["textsOf"] = async (place, oids) => {
    const found = new Map<string, string | null>(oids.map((oid) => [oid, known.get(oid) ?? null]));
    const missing = [...found].flatMap(([oid, text]) => (text === null ? [oid] : []));
    if (missing.length > 0) for (const some of groups(await sizes(place, missing))) await read(place, some, found);
    return found;
  };
  return {
    know,
    textsOf,
    textOf: async (place, oid) => known.get(oid) ?? (await textsOf(place, [oid])).get(oid) ?? null,
    // A text may be known from another clone.
    missing: async (place, oids) => {
      const here = oids.length === 0 ? null : await sizes(place, oids);
      return oids.filter((oid) => here?.has(oid) !== true);
    },
  };
}

/** What is read by one git; documents that are too large are left out. */
function groups(sizes: ReadonlyMap<string, number>): readonly (readonly string[])[] {
  const found: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const [oid, size] of sizes) {
    if (size > DOCUMENT_BYTES_MAX) continue;
    bytes += size + LINE_BYTES;
    if (bytes > OUTPUT_BYTES_MAX) {
      found.push([]);
      bytes = size + LINE_BYTES;
    }
    found.at(-1)?.push(oid);
  }
  return found;
}

/** What `git cat-file --batch` said: a line with the size, so many bytes, and a line's end. */
function objectsIn(told: Buffer): readonly (readonly [oid: string, raw: Buffer])[] {
  const found: [string, Buffer][] = [];
  for (let at = 0; at < told.length; ) {
    const end = told.indexOf(10, at);
    if (end < 0) break;
    const [oid = "", kind, size] = told.toString("latin1", at, end).split(" ");
    const bytes = kind === "commit" ? Number(size) : -1;
    if (bytes >= 0) found.push([oid, told.subarray(end + 1, end + 1 + bytes)]);
    at = end + 1 + Math.max(0, bytes + 1);
  }
  return found;
}

/** Null unless it is a commit of the empty tree with a message in UTF-8. */
function messageOf(raw: Buffer, emptyTree: string): string | null {
  const end = raw.indexOf("\n\n");
  if (end < 0 || !raw.toString("latin1", 0, end).startsWith(`tree ${emptyTree}\n`)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw.subarray(end + 2));
  } catch (thrown) {
    if (thrown instanceof TypeError) return null;
    throw thrown;
  }
}
