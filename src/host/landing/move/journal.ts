import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "../../files/atomic-file.ts";
import { readSmallFile } from "../../files/small-file.ts";

/** What is about to be done to a checkout, written down before the first file changes. */
export interface Journal {
  readonly gitDir: string;
  readonly root: string;
  readonly branch: string;
  /** A commit, or the empty tree for a branch that was not there. */
  readonly from: string;
  readonly to: string;
  /** Folders that were not there. */
  readonly folders: readonly string[];
  readonly steps: readonly JournalStep[];
  readonly isLight?: boolean;
}

export interface JournalStep {
  readonly path: string;
  /** Null: nothing is there. `content`: a file of ours with the bytes. */
  readonly before: { readonly mode: string; readonly content: string } | null;
  readonly after: { readonly mode: string; readonly content: string } | null;
}

const FILE = "journal.json";
const JOURNAL_BYTES_MAX = 268_435_456;

export async function writeJournal(folder: string, journal: Journal): Promise<void> {
  await writeFileAtomic(join(folder, FILE), Buffer.from(JSON.stringify(journal)), { mode: 0o600 });
}

/** Null when no file was touched. Only the daemon can write it, so its shape is not checked. */
export async function readJournal(folder: string): Promise<Journal | null> {
  const text = await readSmallFile(join(folder, FILE), JOURNAL_BYTES_MAX).catch(() => null);
  return text === null ? null : (JSON.parse(text) as Journal);
}

/** After it everything is done, or as it was. */
export async function dropJournal(folder: string): Promise<void> {
  await rm(join(folder, FILE), { force: true });
}
