import { emptyTree } from "../../git/tree-diff.ts";
import { HostError } from "../../host-error.ts";
import type { Look } from "../find-work.ts";
import { sessionChanges } from "./session-changes.ts";

/** What a worktree changes against the commit it was made from, committed or not. */
export interface WorktreeChanges {
  readonly files: readonly ChangedFile[];
  readonly added: number;
  readonly removed: number;
  /** As `git apply` takes it; null when it was not asked for, or is too large. */
  readonly patch: string | null;
}

export interface ChangedFile {
  readonly path: string;
  /** Zero for binary files. */
  readonly added: number;
  readonly removed: number;
}

export interface PatchWish {
  /** Zero: no patch. */
  readonly patchBytesMax: number;
}

const PATCH = ["diff-tree", "-r", "-p", "--binary", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
const COUNTS = ["diff-tree", "-r", "-z", "--numstat", "--no-renames"];

export async function worktreeChanges(look: Look, { patchBytesMax }: PatchWish): Promise<WorktreeChanges> {
  const { tree } = await sessionChanges(look);
  const { git } = look.view;
  const base = look.record.userBase ?? look.record.base;
  const range = [base === null ? await emptyTree(git) : `${base}^{tree}`, tree];
  const files = countedFiles((await git.must([...COUNTS, ...range])).toString());
  const sum = (of: "added" | "removed") => files.reduce((all, file) => all + file[of], 0);
  const patch =
    patchBytesMax === 0 || files.length === 0 ? "" : await limited(look, [...PATCH, ...range], patchBytesMax);
  return { files, added: sum("added"), removed: sum("removed"), patch: patchBytesMax === 0 ? null : patch };
}

export function countedFiles(told: string): readonly ChangedFile[] {
  return told
    .split("\0")
    .filter(Boolean)
    .map((line) => {
      const [added = "", removed = "", ...path] = line.split("\t");
      return { path: path.join("\t"), added: Number(added) || 0, removed: Number(removed) || 0 };
    });
}

/** Null when git says more than that: half a patch applies nowhere. */
async function limited({ view: { git } }: Look, args: readonly string[], bytesMax: number): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const full = new HostError("tree_too_large", "the patch is too large", { remedy: "use `git diff` in the worktree" });
  const take = (part: Buffer): HostError | null => {
    bytes += part.length;
    if (bytes > bytesMax) return full;
    parts.push(part);
    return null;
  };
  try {
    await git.must(args, { take });
  } catch (thrown) {
    if (thrown === full) return null;
    throw thrown;
  }
  return Buffer.concat(parts).toString();
}
