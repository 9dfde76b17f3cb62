import { NomosError } from "../../contract/index.ts";
import type { RepositoryGit } from "../../host/index.ts";
import { findTip } from "./open-governed.ts";

/** Why a directory has no law: there is no repository, no commit yet, or no `.nomos` folder. */
export async function explainUngoverned(git: RepositoryGit, cwd: string, scratch?: string): Promise<NomosError> {
  const found = await findTip(git, cwd, scratch);
  if (found === null) {
    const remedy = "Name a directory in a git repository with `--cwd`, or run `git init` there.";
    return new NomosError("not_a_repository", { cwd }, { message: `${cwd} is in no git repository.`, remedy });
  }
  const root = found.root ?? found.commonDir;
  const message = found.law === null ? `${root} has no commit yet, so it has no law.` : `${root} has no law.`;
  return new NomosError(
    "not_governed",
    { cwd: root },
    { message, remedy: "Run `nomos init` there; nothing else needs it." },
  );
}
