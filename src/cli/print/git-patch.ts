import { keepingTabs } from "../screen/harmless.ts";

/** A changed file as `session.diff` answers it. */
export interface ShownFile {
  readonly path: string;
  readonly change: string;
  readonly kind: string;
  readonly before: Side | null;
  readonly after: Side | null;
  readonly diff: string | null;
  readonly noDiff: string | null;
  /** The lines from `index` on, of content that is no plain text. */
  readonly binary?: string;
}

interface Side {
  readonly mode: string;
  readonly size: number;
  readonly target?: string | null;
}

export interface Patch {
  /** As `git apply` takes it. */
  readonly text: string;
  /** Files whose change it cannot hold. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

/**
 * A patch as git writes it, of everything but large files. Git keeps no folders and few rights. A patch has to be exact, and
 * what is printed harmless, so content with control or invisible characters is packed as binary files are.
 */
export function gitPatch(files: readonly ShownFile[]): Patch {
  const shown = files.filter(({ kind }) => kind !== "directory");
  const parts = shown.map(({ path, ...file }) => ({ path, ...harmlessPart(partsOf({ path, ...file }), file.noDiff) }));
  return {
    text: parts.map(({ text }) => text ?? "").join(""),
    left: parts.filter(({ text }) => text === null).map(({ path, why }) => ({ path, why })),
  };
}

function harmlessPart(
  text: string | null,
  noDiff: string | null,
): { readonly text: string | null; readonly why: string } {
  if (text === null || isHarmless(text)) return { text, why: noDiff ?? "" };
  return { text: null, why: "it holds control or invisible characters" };
}

function isHarmless(text: string): boolean {
  return keepingTabs(text) === text;
}

function partsOf(file: ShownFile): string | null {
  const { before, after } = file;
  const [old, now] = [entryOf(before), entryOf(after)];
  if (before !== null && after !== null && isLink(before) !== isLink(after)) {
    // Git knows no change from a file to a link: one is deleted, the other one made.
    const gone = oneSide(file, before, "deleted");
    const made = oneSide(file, after, "new");
    return gone === null || made === null ? null : gone + made;
  }
  if (before === null || after === null) return oneSide(file, before ?? after, before === null ? "new" : "deleted");
  const modes = old === now ? "" : `old mode ${old}\nnew mode ${now}\n`;
  const hunks = isLink(after) ? linkHunks(before.target ?? null, after.target ?? null) : hunksOf(file);
  if (file.binary !== undefined) return `${headOf(file.path)}${modes}${file.binary}`;
  if (hunks === null) return file.change === "mode" && modes !== "" ? `${headOf(file.path)}${modes}` : notNeeded(file);
  return `${headOf(file.path)}${modes}${namesOf(file.path, true, true)}${hunks}`;
}

/** A change of rights that git does not keep needs no patch. */
function notNeeded({ change }: ShownFile): string | null {
  return change === "mode" ? "" : null;
}

function oneSide(file: ShownFile, side: Side | null, what: "new" | "deleted"): string | null {
  if (side === null) return null;
  const isNew = what === "new";
  const target = isLink(side) ? (side.target ?? "") : null;
  const hunks = target === null ? hunksOf(file) : isNew ? linkHunks(null, target) : linkHunks(target, null);
  const head = `${headOf(file.path)}${what} file mode ${entryOf(side)}\n`;
  if (target === null && file.binary !== undefined) return `${head}${file.binary}`;
  if (hunks === null && side.size > 0) return null;
  return hunks === null || hunks === "" ? head : `${head}${namesOf(file.path, !isNew, isNew)}${hunks}`;
}

/** Null when there is no diff. */
function hunksOf({ diff }: ShownFile): string | null {
  if (diff === null) return null;
  const start = diff.indexOf("\n", diff.indexOf("\n") + 1) + 1;
  return diff.slice(start);
}

function linkHunks(before: string | null, after: string | null): string {
  const lines = (sign: string, target: string | null) =>
    target === null ? "" : `${sign}${target.replaceAll("\\\\", "\\")}\n\\ No newline at end of file\n`;
  const range = (target: string | null) => (target === null ? "0,0" : "1");
  return `@@ -${range(before)} +${range(after)} @@\n${lines("-", before)}${lines("+", after)}`;
}

function isLink({ target }: Side): boolean {
  return typeof target === "string";
}

function entryOf(side: Side | null): string {
  if (side === null) return "";
  if (isLink(side)) return "120000";
  return (Number.parseInt(side.mode, 8) & 0o100) === 0 ? "100644" : "100755";
}

function headOf(path: string): string {
  return `diff --git ${named("a", path)} ${named("b", path)}\n`;
}

function namesOf(path: string, hasOld: boolean, hasNew: boolean): string {
  // Git ends a name with blanks by a tab, so that nothing is taken for a date.
  const end = path.includes(" ") ? "\t" : "";
  const old = hasOld ? `${named("a", path)}${end}` : "/dev/null";
  return `--- ${old}\n+++ ${hasNew ? `${named("b", path)}${end}` : "/dev/null"}\n`;
}

/** Quoted as git does where a byte needs it. */
function named(side: "a" | "b", path: string): string {
  const bytes = Buffer.concat([Buffer.from(`${side}/`), bytesOf(path)]);
  const text = bytes.toString("utf8");
  if (Buffer.from(text).equals(bytes) && !/["\\\p{Cc}]/u.test(text) && isHarmless(text)) return text;
  return `"${[...bytes].map(escaped).join("")}"`;
}

function escaped(byte: number): string {
  const sign = String.fromCharCode(byte);
  if (sign === '"' || sign === "\\") return `\\${sign}`;
  return byte >= 0x20 && byte < 0x7f ? sign : `\\${byte.toString(8).padStart(3, "0")}`;
}

/** The daemon spells a byte that is no text as `\xNN`, and a backslash twice. */
function bytesOf(path: string): Buffer {
  const parts = path.split(/(\\\\|\\x[0-9a-f]{2})/);
  return Buffer.concat(
    parts.map((part) => {
      if (part === "\\\\") return Buffer.from("\\");
      return /^\\x..$/.test(part) ? Buffer.from([Number.parseInt(part.slice(2), 16)]) : Buffer.from(part);
    }),
  );
}
