import type { LawRule } from "../../domains/index.ts";

/** Tells a law to an agent's own program, in files that it reads: paths from the root of the repository, with texts. */
type Adapter = (rules: readonly LawRule[]) => ReadonlyMap<string, string>;

/** Each build writes them anew, in the same act as the lock. There are none yet. */
const ADAPTERS: readonly Adapter[] = [];

export function adapterFiles(rules: readonly LawRule[]): ReadonlyMap<string, string> {
  return new Map(ADAPTERS.flatMap((adapter) => [...adapter(rules)]));
}
