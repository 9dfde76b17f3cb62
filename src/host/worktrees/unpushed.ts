import { readFile } from "node:fs/promises";
import type { Repository } from "../git/find-repository.ts";
import { openView, type RepositoryView } from "../git/repository-view.ts";
import type { GitRunner } from "../git/run-git.ts";
import { refsOf } from "./create-worktree.ts";
import type { Named } from "./named-objects.ts";
import { ownCommits } from "./own-objects.ts";
import type { WorktreePlace, WorktreeRecord } from "./worktree-record.ts";

export interface Unpushed {
  readonly git: GitRunner;
  readonly scratch: string;
  readonly view: RepositoryView;
  /** Everything that its refs and HEAD name. */
  readonly named: readonly Named[];
  /** The worktree's own object store. */
  readonly objects: string;
  readonly place: WorktreePlace;
  readonly record: WorktreeRecord;
  /** Null when it is gone. */
  readonly user: Repository | null;
}

/**
 * Commits, tags and named files that the user's repository does not reach, among the objects made here and everything
 * that a ref names, wherever the object is.
 */
export async function unpushed(asked: Unpushed): Promise<readonly string[]> {
  const { view, named, objects, place, record, user } = asked;
  const own = await ownCommits(view, objects);
  const atStart = await knownAtStart(place, record);
  const isNew = ({ id }: Named) => !atStart.has(id);
  const commits = [...own.commits.map(unnamed), ...named.filter(({ type }) => type === "commit")].filter(isNew);
  const tags = [...own.tags.map(unnamed), ...named.filter(({ type }) => type === "tag")].filter(isNew);
  const contents = named.filter(({ type }) => type === "blob" || type === "tree").filter(isNew);
  if (commits.length + tags.length + contents.length === 0) return [];
  const theirs = user === null ? NOBODY : await askUser(asked, user, contents);
  const known = new Set([...atStart, ...theirs.tips]);
  const lostTags = new Set(tags.filter(({ id }) => !known.has(id)).map(({ id }) => `${id} (tag)`));
  const lostContents = contents.filter(({ id }) => !theirs.has.has(id)).map(({ id, name }) => `${id} (${name})`);
  return [...(await beyond(view, commits, known)), ...lostTags, ...lostContents];
}

const unnamed = (id: string): Named => ({ id, type: "", name: "" });
const NOBODY = { tips: [] as readonly string[], has: new Set<string>() };

/**
 * What the user's repository reached when the worktree was made. For a fork this excludes the other worktree's own
 * work.
 */
async function knownAtStart(place: WorktreePlace, { userBase }: WorktreeRecord): Promise<ReadonlySet<string>> {
  // An older record does not separate the user's refs from another worktree's.
  if (userBase === undefined) return new Set();
  const lines = (await readFile(place.refs, "utf8")).split("\n").filter(Boolean);
  return new Set([...lines.map((line) => line.split(" ")[0] ?? ""), ...(userBase === null ? [] : [userBase])]);
}

async function askUser(
  { git, scratch }: Unpushed,
  user: Repository,
  contents: readonly Named[],
): Promise<{ readonly tips: readonly string[]; readonly has: ReadonlySet<string> }> {
  await using view = await openView(git, user, scratch);
  const head = await view.git.run(["rev-parse", "--verify", "--quiet", "HEAD"]);
  const refs = (await refsOf(view)).map((line) => line.split(" ")[0] ?? "");
  const tips = [...refs, ...(head.exitCode === 0 ? [head.stdout.toString().trim()] : [])];
  if (contents.length === 0) return { tips, has: NOBODY.has };
  const input = contents.map(({ id }) => `${id}\n`).join("");
  const told = await view.git.text(["cat-file", "--batch-check=%(objectname) %(objecttype)"], { input });
  const lines = told.split("\n").map((line) => line.split(" "));
  return { tips, has: new Set(lines.flatMap(([id = "", type]) => (type === "missing" ? [] : [id]))) };
}

async function beyond(
  { git }: RepositoryView,
  from: readonly Named[],
  known: ReadonlySet<string>,
): Promise<readonly string[]> {
  const tips = new Set(from.map(({ id }) => id).filter((id) => !known.has(id)));
  if (tips.size === 0) return [];
  const input = [...tips, ...[...known].map((id) => `^${id}`)].map((line) => `${line}\n`).join("");
  // Objects of the user's refs may be missing here. Those of the worktree's refs exist: git listed them above.
  const flags = ["--ignore-missing", "--no-commit-header", "--format=%H %s", "--stdin"];
  return (await git.text(["rev-list", ...flags], { input })).split("\n").filter(Boolean);
}
