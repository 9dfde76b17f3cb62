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
 * The commit that took the law out of a branch without `nomos deinit`; null: it never had one, or people wanted it gone.
 * Walks the history, so only those ask who have a reason to.
 */
export async function removedLaw(
  git: RepositoryGit,
  { repository, law, isGoverned }: Branch,
  scratch: string,
): Promise<string | null> {
  if (isGoverned || law === null) return null;
  await using view = await openView(git, { ...repository, gitDir: repository.commonDir }, scratch);
  const { exitCode, stdout } = await view.git.run(["log", "-1", "--format=%H%n%B", law.tip, "--", LOCK]);
  const [commit = "", ...message] = stdout.toString().split("\n");
  if (exitCode !== 0 || commit === "") return null;
  return message.some((line) => line.trim() === REMOVED) ? null : commit;
}
