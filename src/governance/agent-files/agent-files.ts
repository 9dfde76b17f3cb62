import type { LawRule } from "../../domains/index.ts";

/** Tells a law to an agent's own program, in files that it reads: paths from the root of the repository, with texts. */
type TellAgent = (rules: readonly LawRule[]) => ReadonlyMap<string, string>;

/** One for each program. There are none yet. */
const AGENTS: readonly TellAgent[] = [];

/** Each build writes them anew, in the same act as the lock. */
export function agentFiles(rules: readonly LawRule[]): ReadonlyMap<string, string> {
  return new Map(AGENTS.flatMap((tell) => [...tell(rules)]));
}
