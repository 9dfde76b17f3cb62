import { posix } from "node:path";
import type { PathLocks } from "../../tool.ts";

/** One for each session. Calls that name the same path run one after another, others at the same time. */
export function createPathLocks(): PathLocks {
  /** The end of the last holder's work, which the next one waits for. */
  const ends = new Map<string, Promise<void>>();

  return {
    hold: async (paths, work) => {
      const keys = [...new Set(paths)];
      const before = keys.flatMap((key) => ends.get(key) ?? []);
      const { promise: end, resolve: letGo } = Promise.withResolvers<void>();
      // All paths are taken in one go, before the first wait, so two holders never wait for each other.
      for (const key of keys) ends.set(key, end);
      try {
        await Promise.all(before);
        return await work();
      } finally {
        for (const key of keys) if (ends.get(key) === end) ends.delete(key);
        letGo();
      }
    },
  };
}

/** The name to lock: the same for `a.ts`, `./a.ts` and the absolute path. Links are caught by the hash of the write. */
export function lockName(cwd: string, path: string): string {
  return posix.resolve(cwd, path);
}
