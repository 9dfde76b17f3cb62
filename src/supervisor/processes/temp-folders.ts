import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/**
 * A temp directory for each process of an agent. Agents leave things there, more with every session, and more when they
 * are killed; what is in a directory of its own can be taken away with the process.
 */
export interface TempFolders {
  readonly lend: () => { readonly path: string; readonly giveBack: () => void };
  /** Resolves when all that was given back is out of the way. */
  readonly settled: () => Promise<void>;
}

const FOLDER_NAME_BYTES = 4;

/** `root` is the daemon's own: what an earlier one left in it is taken away by whoever owns the home. */
export function createTempFolders(root: string, discard: (path: string) => Promise<void>): TempFolders {
  const leaving = new Set<Promise<void>>();
  return {
    lend: () => {
      const path = join(root, randomBytes(FOLDER_NAME_BYTES).toString("hex"));
      mkdirSync(path, { recursive: true, mode: 0o700 });
      const giveBack = (): void => {
        const gone: Promise<void> = discard(path).finally(() => leaving.delete(gone));
        leaving.add(gone);
      };
      return { path, giveBack };
    },
    settled: async () => {
      await Promise.all(leaving);
    },
  };
}
