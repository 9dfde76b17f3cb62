import { mkdir, stat, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { writeBlob } from "../../git/read-blobs.ts";
import type { RepositoryView } from "../../git/repository-view.ts";
import type { Entry } from "../../git/tree-diff.ts";
import type { Change } from "./session-changes.ts";
import type { Found } from "./take-file.ts";

/** One change to the user's files. */
export interface Step {
  readonly path: string;
  /** What has to be there when the step is done. */
  readonly before: Found;
  /** The content to put there, in a file of ours; null: delete. */
  readonly after: { readonly mode: string; readonly content: string } | null;
}

export interface Conflict {
  readonly path: string;
  readonly reason: string;
}

export interface Plan {
  readonly steps: readonly Step[];
  readonly conflicts: readonly Conflict[];
}

type Outcome = Step | Conflict | null;

/** Larger files are not merged line by line. */
const MERGED_BYTES_MAX = 16_777_216;

/** Git's three-way rule for each path: the base, the session's version, and what the person has now. */
export async function planSteps(
  { view, scratch }: { readonly view: RepositoryView; readonly scratch: string },
  changes: readonly Change[],
  mine: ReadonlyMap<string, Found>,
): Promise<Plan> {
  await mkdir(scratch);
  const goes = new Set(changes.filter((one) => one.theirs === null && isBase(one, mine)).map(({ path }) => path));
  const outcomes: Outcome[] = [];
  for (const [at, change] of changes.entries()) {
    const seen = mine.get(change.path) ?? { kind: "other" as const };
    // What is in the way goes too: a file that becomes a folder.
    const found = seen.kind === "blocked" && goes.has(seen.by) ? { kind: "absent" as const } : seen;
    outcomes.push(await outcomeOf(view, join(scratch, String(at)), change, found));
  }
  return {
    steps: outcomes.filter((one): one is Step => one !== null && "before" in one),
    conflicts: outcomes.filter((one): one is Conflict => one !== null && "reason" in one),
  };
}

async function outcomeOf(view: RepositoryView, content: string, change: Change, found: Found): Promise<Outcome> {
  const { path, base, theirs } = change;
  const conflict = (reason: string): Conflict => ({ path, reason });
  if (base?.mode === SUBMODULE || theirs?.mode === SUBMODULE) return conflict("a submodule; change it by hand");
  const put = async (entry: Entry): Promise<Outcome> => {
    await writeBlob(view, entry.id, content);
    if (entry.mode === LINK && (await leadsOut(view, path, entry.id)))
      return conflict("a link that leads out of the repository");
    return { path, before: found, after: { mode: entry.mode, content } };
  };
  switch (found.kind) {
    case "absent":
      if (theirs === null) return null;
      return base === null ? put(theirs) : conflict("changed by the session, deleted by you");
    case "blocked":
      return theirs === null ? null : conflict(`${found.by} is in the way`);
    case "folder":
      return conflict("a folder is in its place");
    case "other":
      return conflict("no file that can be read");
    case "taken":
      break;
  }
  if (isSame(found.entry, theirs)) return null;
  if (isSame(found.entry, base)) return theirs === null ? { path, before: found, after: null } : put(theirs);
  if (theirs === null) return conflict("deleted by the session, changed by you");
  if (base === null) return conflict("made by the session and by you");
  if ([base, theirs, found.entry].some(({ mode }) => mode === LINK))
    return conflict("changed by the session and by you");
  return merged(view, content, { path, base, theirs, found });
}

interface ThreeWays {
  readonly path: string;
  readonly base: Entry;
  readonly theirs: Entry;
  readonly found: Extract<Found, { kind: "taken" }>;
}

async function merged(
  view: RepositoryView,
  content: string,
  { path, base, theirs, found }: ThreeWays,
): Promise<Outcome> {
  const mode = theirs.mode === base.mode ? found.entry.mode : theirs.mode;
  const files = [found.copy, `${content}-base`, `${content}-theirs`];
  await writeBlob(view, base.id, `${content}-base`);
  await writeBlob(view, theirs.id, `${content}-theirs`);
  for (const file of files)
    if ((await stat(file)).size > MERGED_BYTES_MAX) return { path, reason: "changed by both, and too large to merge" };
  const { exitCode, stdout } = await view.git.run(["merge-file", "-p", "--quiet", ...files]);
  if (exitCode !== 0) return { path, reason: "changed by the session and by you, in the same place" };
  await writeFile(content, stdout);
  return { path, before: found, after: { mode, content } };
}

const SUBMODULE = "160000";
const LINK = "120000";

function isBase({ path, base }: Change, mine: ReadonlyMap<string, Found>): boolean {
  const found = mine.get(path);
  return found?.kind === "taken" && isSame(found.entry, base);
}

function isSame(one: Entry | null, other: Entry | null): boolean {
  return one === null || other === null ? one === other : one.mode === other.mode && one.id === other.id;
}

/**
 * Whoever writes through such a link later would write elsewhere. `..` is allowed at the beginning only: after the name
 * of another link it would go up from where that one leads.
 */
async function leadsOut({ git }: RepositoryView, path: string, id: string): Promise<boolean> {
  return isLeadingOut(path, (await git.must(["cat-file", "blob", id])).toString());
}

export function isLeadingOut(path: string, target: string): boolean {
  const parts = target.split("/");
  const down = parts.findIndex((part) => part !== "..");
  if (target.startsWith("/") || target === "" || (down >= 0 && parts.slice(down).includes(".."))) return true;
  const [first] = posix.join(posix.dirname(path), target).split("/");
  return first === ".." || first?.toLowerCase() === ".git";
}
