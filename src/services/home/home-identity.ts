import { type BigIntStats, statSync } from "node:fs";

/** The home by device and inode, not by path: a session may be able to rename a directory above it. */
export interface HomeIdentity {
  readonly is: (found: BigIntStats) => boolean;
  /** Whether the home is still where it was when the daemon started. */
  readonly isInPlace: () => boolean;
}

export function homeIdentity(home: string): HomeIdentity {
  const { dev, ino } = statSync(home, { bigint: true });
  const is = (found: BigIntStats) => found.dev === dev && found.ino === ino;
  return {
    is,
    isInPlace: () => {
      const found = statSync(home, { bigint: true, throwIfNoEntry: false });
      return found !== undefined && is(found);
    },
  };
}
