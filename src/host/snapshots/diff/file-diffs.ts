import type { Objects } from "../packs/objects.ts";
import { shownName } from "../walk/byte-path.ts";
import { decodeChunks, type Entry } from "../walk/listing.ts";
import { binaryPatch } from "./binary-patch.ts";
import { type Change, entryIn } from "./compare.ts";
import { unifiedDiff } from "./unified-diff.ts";

export interface DiffOptions {
  readonly filesMax: number;
  readonly bytesMax: number;
  /** Also give files that are no plain text, as git's binary patch. */
  readonly binary?: boolean;
}

export interface FileDiff {
  readonly path: string;
  readonly change: "added" | "changed" | "deleted" | "mode";
  readonly kind: string;
  readonly before: Side | null;
  readonly after: Side | null;
  /** A unified diff for text; null for binary or large files and beyond the limit. */
  readonly diff: string | null;
  /** Why there is no diff. */
  readonly noDiff: "binary" | "too large" | "no content" | null;
  /** For content that is no plain text, if asked for: the lines of a git patch from `index` on. */
  readonly binary?: string;
}

export interface Side {
  readonly mode: string;
  readonly size: number;
  readonly target: string | null;
}

const TEXT_BYTES_MAX = 262_144;

/** The changed files with their diffs, within the limits. */
export function* diffChanges(
  objects: Pick<Objects, "get">,
  changes: Iterable<Change>,
  { filesMax, bytesMax, binary = false }: DiffOptions,
): Generator<void, readonly FileDiff[]> {
  const diffs: FileDiff[] = [];
  let bytes = 0;
  for (const change of changes) {
    if (diffs.length >= filesMax) break;
    if (change.after?.kind === "left-out") continue;
    const { before, after } = change;
    const path = shownName(change.path);
    const made = bytes >= bytesMax ? ({ diff: null, noDiff: "too large" } as const) : textOf(objects, path, change);
    const packed = binary && bytes < bytesMax ? packedOf(objects, change, made) : {};
    bytes += (made.diff?.length ?? 0) + (packed.binary?.length ?? 0);
    diffs.push({
      path,
      change: kindOfChange(change),
      kind: nameOfKind(after ?? before),
      before: sideOf(before),
      after: sideOf(after),
      ...made,
      ...packed,
    });
    yield;
  }
  return diffs;
}

export function kindOfChange({ before, after }: Change): FileDiff["change"] {
  if (before === null) return "added";
  if (after === null) return "deleted";
  const isSame = before.kind === after.kind && before.target === after.target;
  return isSame && (before.kind === "directory" || before.object === after.object) ? "mode" : "changed";
}

function nameOfKind(entry: Entry | null): string {
  return entry?.kind === "chunked" ? "file" : (entry?.kind ?? "file");
}

function sideOf(entry: Entry | null): Side | null {
  if (entry === null) return null;
  const { mode, size, kind, target } = entry;
  return { mode: mode.toString(8).padStart(4, "0"), size, target: kind === "link" ? shownName(target) : null };
}

type Text = Pick<FileDiff, "diff" | "noDiff">;

function textOf(objects: Pick<Objects, "get">, path: string, change: Change): Text {
  const sides = [change.before, change.after];
  if (kindOfChange(change) === "mode") return { diff: null, noDiff: "no content" };
  if (!sides.some(isFile)) return { diff: null, noDiff: "no content" };
  if (sides.some((side) => side !== null && side.size > TEXT_BYTES_MAX)) return { diff: null, noDiff: "too large" };
  const [old, now] = sides.map((side) => contentOf(objects, side));
  if (old === undefined || now === undefined || [old, now].some(isBinary)) return { diff: null, noDiff: "binary" };
  const [from, to] = [change.before === null ? null : `a/${path}`, change.after === null ? null : `b/${path}`];
  const diff = unifiedDiff(old.toString("utf8"), now.toString("utf8"), from, to);
  return diff === null ? { diff: null, noDiff: "too large" } : { diff, noDiff: null };
}

/** Control and invisible characters: a patch in text would have to hold them raw. */
const NOT_PLAIN = /(?![\t\n])[\p{C}\p{Zl}\p{Zp}\p{M}\p{Default_Ignorable_Code_Point}]/u;

function packedOf(objects: Pick<Objects, "get">, { before, after }: Change, made: Text): { readonly binary?: string } {
  const isBare = made.noDiff === "binary" || (made.diff !== null && NOT_PLAIN.test(made.diff));
  const side = (entry: Entry | null) => (isFile(entry) ? contentOf(objects, entry) : null);
  return isBare ? { binary: binaryPatch(side(before), side(after)) } : {};
}

/** Contents by path; null where there is no file, or a larger one. */
export function* filesIn(
  objects: Pick<Objects, "get">,
  listing: string | null,
  paths: readonly string[],
  bytesMax: number,
): Generator<void, readonly (Buffer | null)[]> {
  const found: (Buffer | null)[] = [];
  for (const path of paths) {
    const entry = entryIn(objects, listing, path);
    found.push(entry !== null && isFile(entry) && entry.size <= bytesMax ? contentOf(objects, entry) : null);
    yield;
  }
  return found;
}

function isFile(entry: Entry | null): boolean {
  return entry?.kind === "file" || entry?.kind === "chunked";
}

function contentOf(objects: Pick<Objects, "get">, entry: Entry | null): Buffer {
  if (entry === null || !isFile(entry)) return Buffer.alloc(0);
  if (entry.kind === "file") return objects.get(entry.object);
  return Buffer.concat(decodeChunks(objects.get(entry.object)).map(objects.get));
}

/** As in git: a NUL byte near the start; or bytes that are not valid text. */
function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8000).includes(0) || !Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes);
}
