import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../git/find-repository.ts";
import type { GitRunner } from "../git/run-git.ts";

const LOOK_EVERY_MS = 500;

/** Calls `onMoved` once when a branch of the person's repository no longer points at `commit`; until `signal` aborts. */
export function watchTip(
  git: GitRunner,
  { commonDir }: Pick<Repository, "commonDir">,
  { branch, commit }: { readonly branch: string; readonly commit: string },
  onMoved: () => void,
  signal: AbortSignal,
): void {
  let seen: string | null = null;
  const look = async (): Promise<void> => {
    const stamp = await stampOf(commonDir, branch);
    // Git is asked only when a file changed: a watch over a long check costs nothing.
    if (stamp !== seen) {
      const args = ["rev-parse", "--verify", "-q", "--end-of-options", `refs/heads/${branch}`];
      const { exitCode, stdout } = await git.run(args, { gitDir: commonDir, signal });
      if (signal.aborted) return;
      if (exitCode !== 0 || stdout.toString().trim() !== commit) return onMoved();
      seen = stamp;
    }
  };
  const again = (): void => {
    if (signal.aborted) return;
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      // What cannot be read now is judged when the branch moves.
      look().then(again, again);
    }, LOOK_EVERY_MS);
    const stop = (): void => clearTimeout(timer);
    signal.addEventListener("abort", stop, { once: true });
  };
  again();
}

/** Changes whenever git writes the branch, loose, packed or in a table. */
async function stampOf(commonDir: string, branch: string): Promise<string> {
  const places = [join("refs", "heads", branch), "packed-refs", join("reftable", "tables.list")];
  const found = await Promise.all(
    places.map((place) => lstat(join(commonDir, place), { bigint: true }).catch(() => null)),
  );
  return found.map((one) => (one === null ? "" : `${one.ino}:${one.mtimeNs}:${one.size}`)).join(" ");
}
