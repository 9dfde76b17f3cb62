import type { GitRunner } from "../git/run-git.ts";
import { Unclear } from "./own-objects.ts";

/** An object that a ref or HEAD names. */
export interface Named {
  readonly id: string;
  readonly type: string;
  readonly name: string;
}

export interface NamedObjects {
  readonly named: readonly Named[];
  /** The commit of HEAD; null on a branch without one. */
  readonly commit: string | null;
}

/** Every ref, including notes, stashes and private ones, and HEAD. Git fails for a ref with a missing object. */
export async function namedObjects(git: GitRunner): Promise<NamedObjects> {
  const listed = await git.text(["for-each-ref", "--format=%(HEAD)%(objectname) %(objecttype) %(refname)"]);
  const refs = listed.split("\n").filter(Boolean);
  const named = refs.map((line) => {
    const [id = "", type = "", ...name] = line.slice(1).split(" ");
    return { id, type, name: name.join(" ") };
  });
  const branch = named[refs.findIndex((line) => line.startsWith("*"))];
  const head = branch?.type === "commit" ? { id: branch.id, commit: branch.id } : await headOf(git);
  if (head === null) return { named, commit: null };
  return { named: [...named, { id: head.id, type: "commit", name: "HEAD" }], commit: head.commit };
}

/** A HEAD that names a missing commit is refused. */
async function headOf(git: GitRunner): Promise<{ readonly id: string; readonly commit: string } | null> {
  const input = "HEAD\nHEAD^{commit}\n";
  const told = await git.text(["cat-file", "--batch-check=%(objectname)"], { input });
  const [id = "", commit = ""] = told.split("\n");
  if (ID.test(id) && ID.test(commit)) return { id, commit };
  const { exitCode } = await git.run(["rev-parse", "--verify", "--quiet", "HEAD"]);
  if (exitCode === 0) throw new Unclear("its HEAD names a commit that is not there");
  return null;
}

const ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
