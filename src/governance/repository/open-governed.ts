import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { NomosError } from "../../contract/index.ts";
import { findRepository, openView, type Repository, type RepositoryGit } from "../../host/index.ts";
import { branchNamedIn } from "../config/config.ts";
import { findBranch, type LawBranch, likelyBranches } from "./law-branch.ts";
import { LAW_DIR, SIDECAR_BRANCH } from "./law-path.ts";
import { removedLaw } from "./removed-law.ts";
import { isUnreadable, readTree, type TreeReader } from "./tree-reader.ts";

/** A repository with a law. The law is what the default branch's tip holds, whatever is checked out. */
export interface Governed extends OpenedRepository, LawBranch, TreeReader {
  /** The files of another commit of this repository. */
  readonly at: (commit: string) => TreeReader;
  /** The branch that work starts from and lands on. Another one than the law's where the law has a branch of its own. */
  readonly work: LawBranch;
}

export interface OpenedRepository {
  readonly repository: Repository;
  /** Null for a bare repository. */
  readonly root: string | null;
  readonly commonDir: string;
  /** Names the repository in the log: the same for all its worktrees. */
  readonly repoKey: string;
}

/** A repository with or without a law. Null for the branch: there is no commit yet. */
export interface FoundTip extends OpenedRepository {
  readonly law: LawBranch | null;
  /** Whether the branch has a law, sound or not. */
  readonly isGoverned: boolean;
  readonly work: LawBranch | null;
}

const KEY_DIGITS = 12;
const CONFIG = `${LAW_DIR}/config.yaml`;

/** Null when there is no repository, or it has no law. Starts nothing and asks no daemon. */
export async function openGoverned(git: RepositoryGit, cwd: string, scratch?: string): Promise<Governed | null> {
  const found = await findTip(git, cwd, scratch);
  return found === null ? null : governedAt(git, found, scratch);
}

/** A repository whose law was taken out of its branch, and not by `nomos deinit`; null: it was, or there never was one. */
export async function openRemoved(git: RepositoryGit, found: FoundTip, scratch: string): Promise<Governed | null> {
  const removed = await removedLaw(git, found, scratch);
  return removed === null ? null : governedAt(git, { ...found, isGoverned: true }, scratch);
}

/** Null when the repository has no law. */
export function governedAt(git: RepositoryGit, found: FoundTip, scratch?: string): Governed | null {
  if (found.law === null || !found.isGoverned) return null;
  const { repository, root, commonDir, repoKey } = found;
  const { lawFolder } = found.law;
  const at = (commit: string): TreeReader =>
    readTree({ git, repository, commit, lawFolder, ...(scratch === undefined ? {} : { scratch }) });
  const work = found.work ?? found.law;
  return { repository, root, commonDir, repoKey, ...found.law, ...at(found.law.tip), at, work };
}

/** Like `openGoverned`, also for a repository without a law. */
export async function findTip(git: RepositoryGit, cwd: string, scratch = tmpdir()): Promise<FoundTip | null> {
  const start = await realpath(cwd).catch(() => null);
  if (start === null) throw new NomosError("cwd_missing", { cwd });
  // Borrowed objects are read too, as a clone with `--shared` needs: they are found by their hash alone.
  const repository = await findRepository(git, start);
  if (repository === null) return null;
  const { root, commonDir } = repository;
  const repoKey = createHash("sha256").update(commonDir).digest("hex").slice(0, KEY_DIGITS);
  // The checked-out branch is the one of the main worktree: a linked one holds somebody's work.
  await using view = await openView(git, { ...repository, gitDir: commonDir }, scratch);
  const reader: Read = ({ tip: commit, lawFolder }) =>
    readTree({ git, repository, commit, lawFolder, within: view.git });
  const found = await lawBranch(view.git, reader);
  return { repository, root, commonDir, repoKey, ...(found ?? { law: null, work: null, isGoverned: false }) };
}

/** Where the files of the law lie in its branch. */
export function folderOf({ law }: Pick<FoundTip, "law">): { readonly lawFolder?: string } {
  return law === null ? {} : { lawFolder: law.lawFolder };
}

type Read = (branch: LawBranch) => TreeReader;
type Lawful = Pick<FoundTip, "law" | "isGoverned" | "work">;

/** The first likely branch with a law; its `config.yaml` may name another one. */
async function lawBranch(git: RepositoryGit, reader: Read): Promise<Lawful | null> {
  const likely = await likelyBranches(git);
  for (const branch of likely) {
    if (!(await hasLaw(reader(branch)))) continue;
    const config = await reader(branch).read(CONFIG).catch(unlessUnreadable);
    const name = config === null ? null : branchNamedIn(config);
    const named = name === null || name === branch.branch ? null : await findBranch(git, name);
    const isBetter = named !== null && (await hasLaw(reader(named)));
    const law = isBetter ? named : branch;
    return { law, isGoverned: true, work: law };
  }
  const [work = null] = likely;
  const beside = await findBranch(git, SIDECAR_BRANCH);
  const sidecar = beside === null ? null : { ...beside, lawFolder: "" };
  if (sidecar !== null && (await reader(sidecar).has(`${LAW_DIR}/CONSTITUTION.md`)))
    return { law: sidecar, isGoverned: true, work };
  return work === null ? null : { law: work, isGoverned: false, work };
}

/** A configuration that cannot be read names no branch. The law does not verify then, and its report says why. */
function unlessUnreadable(thrown: unknown): null {
  if (isUnreadable(thrown)) return null;
  throw thrown;
}

/** One of them is enough: a law that lost the others is damaged, and not gone. */
const SIGNS: readonly string[] = [
  ...["CONSTITUTION.md", "config.yaml", "governance.lock.json", "policy.sealed.json", "tickets"],
];

/** A link or a file in place of the folder is a defect of the law, and not its absence. */
async function hasLaw(tree: TreeReader): Promise<boolean> {
  const found = (await tree.list("")).find(({ name }) => name === LAW_DIR);
  if (found === undefined) return false;
  // The folder alone is no law: people keep tools of their own in it.
  if (found.kind === "folder") return (await tree.list(LAW_DIR)).some(({ name }) => SIGNS.includes(name));
  const reason = `it is a ${found.kind} and no folder`;
  throw new NomosError(
    "governance_invalid",
    { path: LAW_DIR, reason },
    { message: `${LAW_DIR} cannot be read: ${reason}.` },
  );
}
