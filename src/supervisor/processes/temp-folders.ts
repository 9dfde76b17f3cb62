import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/**
 * A temp directory for each process of an agent. Agents leave files there, more so when they are killed; a directory of its
 * own can be deleted with the process.
 */
export interface TempFolders {
  readonly lend: () => { readonly path: string; readonly giveBack: () => void };
  /** Resolves when all returned directories are moved away. */
  readonly settled: () => Promise<void>;
}

const FOLDER_NAME_BYTES = 4;

/** `root` belongs to the daemon. The owner of the home deletes what an earlier daemon left in it. */
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
