import type { CollidedFile, CollidingLines, CollisionKind } from "../../../domains/index.ts";
import { readBlobs } from "../../git/read-blobs.ts";
import type { RepositoryView } from "../../git/repository-view.ts";
import { collidingLines } from "./colliding-lines.ts";

/** What git says about the merge of two commits. */
export interface MergedPair {
  /** What came of it; with conflicts it holds their marks. */
  readonly tree: string;
  /** Paths in conflict, each with what git stores of it: base, ours, theirs. */
  readonly stages: ReadonlyMap<string, Stages>;
  readonly conflicts: readonly { readonly type: string; readonly paths: readonly string[] }[];
}

export type Stages = readonly [base: string | null, ours: string | null, theirs: string | null];

const MERGE_TIMEOUT_MS = 30_000;

/** Merges in memory. Nothing is checked out. */
export async function mergePair(
  { git }: Pick<RepositoryView, "git">,
  ours: string,
  theirs: string,
): Promise<MergedPair> {
  const args = ["merge-tree", "--write-tree", "--allow-unrelated-histories", "-z", "--messages", ours, theirs];
  const { exitCode, stdout } = await git.run(args, { timeoutMs: MERGE_TIMEOUT_MS });
  // Reports git's own words.
  if (exitCode !== 0 && exitCode !== 1) await git.must(args, { timeoutMs: MERGE_TIMEOUT_MS });
  const told = stdout.toString();
  const tree = told.slice(0, told.indexOf("\0"));
  return exitCode === 0 ? { tree, stages: new Map(), conflicts: [] } : { tree, ...conflictsIn(told) };
}

function conflictsIn(text: string): Omit<MergedPair, "tree"> {
  const [, ...parts] = text.split("\0");
  const stages = new Map<string, [string | null, string | null, string | null]>();
  let at = 0;
  for (; at < parts.length && parts[at] !== ""; at += 1) {
    const [, id = "", stage = "", path = ""] = /^\d+ (\w+) (\d)\t(.*)$/s.exec(parts[at] ?? "") ?? [];
    const known = stages.get(path) ?? [null, null, null];
    known[Number(stage) - 1] = id;
    stages.set(path, known);
  }
  const conflicts: { type: string; paths: string[] }[] = [];
  for (at += 1; at < parts.length; ) {
    const count = Number(parts[at]);
    if (!Number.isInteger(count) || count < 0 || parts[at] === "") break;
    const paths = parts.slice(at + 1, at + 1 + count);
    const type = parts[at + 1 + count] ?? "";
    if (type.startsWith("CONFLICT")) conflicts.push({ type, paths });
    at += count + 3;
  }
  return { stages, conflicts };
}

/** Places in a conflict are told for this many files. */
const LINES_FILES_MAX = 10;
export const FILES_MAX = 50;

/** The colliding files with their lines; `isTheirs` leaves out what only one of the two has changed. */
export async function collidedFiles(
  view: Pick<RepositoryView, "git">,
  { stages, conflicts }: MergedPair,
  counts: (paths: readonly string[], ids: readonly (string | null)[]) => boolean,
  isLarge: (path: string) => boolean,
): Promise<{ readonly files: readonly CollidedFile[]; readonly more: number }> {
  const kinds = new Map<string, CollisionKind>();
  for (const { type, paths } of conflicts) {
    const [at] = paths;
    if (at === undefined || at.includes("\ufffd") || !counts(paths, stages.get(at) ?? [])) continue;
    // Git would put a file whose place is taken beside it, under the name of its commit.
    const path = at.replace(/~[0-9a-f]{40,64}$/, "");
    const kind = isLarge(path) ? "large" : kindOf(type, stages.get(path));
    const known = kinds.get(path);
    // A renamed file may collide by its contents as well: the stronger word stays.
    if (known === undefined || known === "content") kinds.set(path, kind);
  }
  const all = [...kinds].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const listed = all.slice(0, FILES_MAX);
  const lines = await linesOf(
    view,
    listed.flatMap(([path, kind]) => {
      const found = stages.get(path);
      return (kind === "content" || kind === "add") && found !== undefined ? [[path, found] as const] : [];
    }),
  );
  const files = listed.map(([path, kind]): CollidedFile => {
    const places = lines.get(path) ?? [];
    return { path, kind, ...(places.length === 0 ? {} : { lines: places }) };
  });
  return { files, more: Math.max(0, all.length - FILES_MAX) };
}

/** All texts are read by one git: a process for each would cost more than the comparison. */
async function linesOf(
  view: Pick<RepositoryView, "git">,
  collided: readonly (readonly [path: string, stages: Stages])[],
): Promise<ReadonlyMap<string, readonly CollidingLines[]>> {
  const asked = collided.slice(0, LINES_FILES_MAX);
  const ids = new Set(asked.flatMap(([, stages]) => stages.filter((id) => id !== null)));
  const texts = new Map<string, string>();
  await readBlobs(view, [...ids], (id, bytes) => {
    if (bytes !== null) texts.set(id, bytes.toString("latin1"));
  }).catch(() => undefined);
  return new Map(
    asked.map(([path, [base, ours, theirs]]) => {
      const [before, mine, others] = [base, ours, theirs].map((id) => (id === null ? undefined : texts.get(id)));
      const isRead = mine !== undefined && others !== undefined && (base === null || before !== undefined);
      return [path, isRead ? collidingLines(before ?? null, mine, others) : []];
    }),
  );
}

function kindOf(type: string, stages: Stages | undefined): CollisionKind {
  if (type.includes("binary")) return "binary";
  if (type.includes("rename") || type.includes("location")) return "rename";
  if (type.includes("delete")) return "delete";
  if (type.includes("mode")) return "mode";
  if (type.includes("file/directory") || type.includes("distinct") || type.includes("submodule")) return "type";
  return stages !== undefined && stages[0] === null ? "add" : "content";
}
