import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * What changes on disk when a branch of a repository moves, or another one becomes its default: so whoever keeps a law
 * knows when to read it anew, for the price of a few looks. Git replaces a ref by a rename, which its folder shows.
 */
export async function repositorySignature(commonDir: string, ref: string | null): Promise<string> {
  const folders = ref === null ? [] : [dirname(ref), ref];
  const watched = [...WATCHED, ...folders];
  const seen = await Promise.all(watched.map((path) => seenAt(join(commonDir, path))));
  return seen.join(" ");
}

const WATCHED = ["HEAD", "config", "packed-refs", "refs/heads", "refs/remotes/origin", "reftable/tables.list"];

async function seenAt(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found === null ? "-" : `${found.ino}.${found.mtimeNs}.${found.size}`;
}
