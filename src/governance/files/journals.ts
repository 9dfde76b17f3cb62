import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import {
  isAlive,
  type LandingGit,
  type ProcessIdentity,
  processIdentity,
  readSmallFile,
  removeTree,
  writeFileAtomic,
} from "../../host/index.ts";

/** What a commit is about to do, written down before anything of the person's changes. */
export interface CommitOrder {
  readonly place: { readonly root: string | null; readonly gitDir: string };
  readonly branch: string;
  readonly to: string;
}

export interface CommitJournals {
  readonly begin: (repoKey: string, id: string, order: CommitOrder) => Promise<CommitJournal>;
  /** Settles what ended processes left, of one repository or of all. */
  readonly recover: (repoKey: string | null) => Promise<void>;
}

export interface CommitJournal {
  readonly folder: string;
  /** Everything is done, or as it was. */
  readonly drop: () => Promise<void>;
  /** What was done is not known: the next commit looks. */
  readonly leave: () => void;
}

const FILE = "order.json";
const BYTES_MAX = 65_536;
const FRESH_MS = 60_000;
const Order = z.object({
  place: z.object({ root: z.string().nullable(), gitDir: z.string() }),
  branch: z.string(),
  to: z.string(),
  by: z.object({ pid: z.number().int(), startTime: z.string() }),
});

export function openCommitJournals(
  folder: string,
  git: LandingGit,
  log: (message: string, details: object) => void,
): CommitJournals {
  const own = new Set<string>();
  const left = new Set<string>();
  const settle = async (path: string, id: string): Promise<void> => {
    const text = await readSmallFile(join(path, FILE), BYTES_MAX);
    if (text === null) {
      // Nothing was begun before the order was written. Another process may be about to write it.
      if (!(await isFresh(path))) await removeTree(path);
      return;
    }
    const { place, branch, to, by } = Order.parse(JSON.parse(text));
    if (isAlive(by) && !left.has(id)) return;
    await using opened = await git.open(place, []);
    const hasLanded = await opened.recover({ branch, to, folder: path, owner: id });
    log("settled a commit that a crash cut", { branch, to, hasLanded });
    await removeTree(path);
    left.delete(id);
  };
  return {
    begin: async (repoKey, id, order) => {
      const path = join(folder, `${repoKey}-${id}`);
      own.add(id);
      await mkdir(path, { recursive: true, mode: 0o700 });
      const by: ProcessIdentity | null = processIdentity(process.pid);
      const text = JSON.stringify({ ...order, by: by ?? { pid: process.pid, startTime: "" } });
      await writeFileAtomic(join(path, FILE), Buffer.from(text), { mode: 0o600 });
      return {
        folder: path,
        drop: async () => {
          await removeTree(path);
          own.delete(id);
        },
        leave: () => {
          left.add(id);
          own.delete(id);
        },
      };
    },
    recover: async (repoKey) => {
      for (const name of await readdir(folder).catch(() => [])) {
        const [key = "", ...rest] = name.split("-");
        const id = rest.join("-");
        if (own.has(id) || (repoKey !== null && key !== repoKey)) continue;
        await settle(join(folder, name), id).catch((thrown: unknown) => {
          log("a commit that a crash cut could not be settled", { folder: name, reason: String(thrown) });
        });
      }
    },
  };
}

async function isFresh(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs < FRESH_MS;
}
