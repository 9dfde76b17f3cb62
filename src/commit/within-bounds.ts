import { type NomosError, toNomosError } from "../contract/index.ts";
import type { Committer } from "./committer.ts";

/** Ends a turn that hits a quota or a full disk: nothing it does could be recorded any more. */
export function within(committer: Committer, onReached: (reached: NomosError) => void): Committer {
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (thrown) {
      const error = toNomosError(thrown);
      if (error.code === "quota_exceeded" || error.code === "disk_low") onReached(error);
      throw thrown;
    }
  };
  return {
    ...committer,
    commit: (changes, options) => watched(committer.commit(changes, options)),
    change: (of, id, decide, by, continues) => watched(committer.change(of, id, decide, by, continues)),
    session: (id, decide, by) => watched(committer.session(id, decide, by)),
    keeper: (id, spaceNeed) => {
      const keeper = committer.keeper(id, spaceNeed);
      return { ...keeper, put: (bytes) => watched(keeper.put(bytes)) };
    },
  };
}
