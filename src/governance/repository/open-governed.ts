import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { NomosError } from "../../contract/index.ts";
import { findRepository, openView, type Repository, type RepositoryGit } from "../../host/index.ts";
import { branchNamedIn } from "../config/config.ts";
import { findBranch, type LawBranch, likelyBranches } from "./law-branch.ts";
import { readTree, type TreeReader } from "./tree-reader.ts";

/** A repository with a law. The law is what the default branch's tip holds, whatever is checked out. */
export interface Governed extends OpenedRepository, LawBranch, TreeReader {
  /** The files of another commit of this repository. */
  readonly at: (commit: string) => TreeReader;
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
  /** Whether the branch has a `.nomos` folder. */
  readonly isGoverned: boolean;
}

const KEY_DIGITS = 12;
export const LAW_DIR = ".nomos";
const CONFIG = `${LAW_DIR}/config.yaml`;

/** Null when there is no repository, or it has no law. Starts nothing and asks no daemon. */
export async function openGoverned(git: RepositoryGit, cwd: string, scratch?: string): Promise<Governed | null> {
  const found = await findTip(git, cwd, scratch);
  if (found === null || found.law === null || !found.isGoverned) return null;
  const { repository, root, commonDir, repoKey } = found;
  const at = (commit: string): TreeReader =>
    readTree({ git, repository, commit, ...(scratch === undefined ? {} : { scratch }) });
  return { repository, root, commonDir, repoKey, ...found.law, ...at(found.law.tip), at };
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
  const reader = (commit: string): TreeReader => readTree({ git, repository, commit, scratch });
  const law = await lawBranch(view.git, reader);
  return { repository, root, commonDir, repoKey, law: law?.branch ?? null, isGoverned: law?.isGoverned ?? false };
}

interface Lawful {
  readonly branch: LawBranch;
  readonly isGoverned: boolean;
}

/** The first likely branch with a law; its `config.yaml` may name another one. */
async function lawBranch(git: RepositoryGit, reader: (commit: string) => TreeReader): Promise<Lawful | null> {
  const likely = await likelyBranches(git);
  for (const branch of likely) {
    if (!(await hasLaw(reader(branch.tip)))) continue;
    const config = await reader(branch.tip).read(CONFIG);
    const name = config === null ? null : branchNamedIn(config);
    const named = name === null || name === branch.branch ? null : await findBranch(git, name);
    const isBetter = named !== null && (await hasLaw(reader(named.tip)));
    return { branch: isBetter ? named : branch, isGoverned: true };
  }
  const [first] = likely;
  return first === undefined ? null : { branch: first, isGoverned: false };
}

/** A link or a file in place of the folder is a defect of the law, and not its absence. */
async function hasLaw(tree: TreeReader): Promise<boolean> {
  const found = (await tree.list("")).find(({ name }) => name === LAW_DIR);
  if (found === undefined || found.kind === "folder") return found !== undefined;
  const reason = `it is a ${found.kind} and no folder`;
  throw new NomosError(
    "governance_invalid",
    { path: LAW_DIR, reason },
    { message: `${LAW_DIR} cannot be read: ${reason}.` },
  );
}
