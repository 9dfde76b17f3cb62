import { compileLaw } from "../../../domains/index.ts";
import { type Governed, verifyLaw } from "../../../governance/index.ts";
import type { RepositoryGit } from "../../../host/index.ts";
import type { HeldLaw } from "./held-law.ts";

export interface ReadLawDeps {
  readonly git: RepositoryGit;
  /** For temporary files, out of any agent's reach. */
  readonly scratch: string;
  /** The person's home, by its real path: what `~` means in a rule. */
  readonly home: string | null;
}

/** Verifies the committed law of a repository, and compiles what holds. */
export async function readLaw({ git, scratch, home }: ReadLawDeps, governed: Governed): Promise<HeldLaw> {
  const at = governed.root ?? governed.commonDir;
  const { law, problems } = await verifyLaw(git, at, { scratch, withCheckout: false });
  const told = problems.map(({ code, message }) => ({ code, message }));
  const compiled = law === null ? null : compileLaw(law.lock.rules, { root: at, home });
  return { governed, sound: law, compiled, problems: told };
}
