import { openView, type Repository, type RepositoryGit } from "../../host/index.ts";
import { LAW_DIR } from "./law-path.ts";

/** Stands in the message of the commit that takes a law away on purpose. */
export const REMOVED = "Nomos-Law: removed";

interface Branch {
  readonly repository: Repository;
  /** Null: there is no commit yet. */
  readonly law: { readonly tip: string } | null;
  readonly isGoverned: boolean;
}

const LOCK = `${LAW_DIR}/governance.lock.json`;

/**
 * The last commit that changed the lock of a branch without a law, if `nomos deinit` did not make it; null: it did, or
 * there never was a law. Walks the history, so only those ask who have a reason to.
 */
export async function removedLaw(
  git: RepositoryGit,
  { repository, law, isGoverned }: Branch,
  scratch: string,
): Promise<string | null> {
  if (isGoverned || law === null) return null;
  await using view = await openView(git, { ...repository, gitDir: repository.commonDir }, scratch);
  // All of the history: a merge may take the side that never had a law.
  const told = await view.git.text(["log", "-1", "--full-history", "--format=%H%n%B", law.tip, "--", LOCK]);
  const [commit = "", ...message] = told.split("\n");
  if (commit === "") return null;
  return message.some((line) => line.trim() === REMOVED) ? null : commit;
}
