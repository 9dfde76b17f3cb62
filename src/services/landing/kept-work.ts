import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { type CapturedWork, readSmallFile, removeTree, writeFileAtomic } from "../../host/index.ts";

/** Captured work of landings, one folder each, where no agent can write. */
export interface KeptWork {
  readonly folderOf: (id: string) => string;
  /** The folder for new work: no sweep touches it until it is dropped. */
  readonly begin: (id: string) => string;
  readonly keep: (id: string, captured: CapturedWork) => Promise<void>;
  /** Null when it is gone. */
  readonly read: (id: string) => Promise<CapturedWork | null>;
  readonly drop: (id: string) => Promise<void>;
  /** Removes what no waiting landing needs. */
  readonly sweep: (isNeeded: (id: string) => Promise<boolean>) => Promise<void>;
}

const FILE = "captured.json";
const BYTES_MAX = 16_777_216;

const Captured = z.object({
  head: z.string().nullable(),
  tree: z.string(),
  userBase: z.string().nullable(),
  sharedObjects: z.array(z.string()),
  nested: z.array(z.string()),
  // Work that an earlier version captured does not tell.
  omitted: z.array(z.string()).default([]),
  unmerged: z.array(z.string()).default([]),
  repository: z.object({ root: z.string().nullable(), gitDir: z.string() }).nullable(),
  fault: z.string().nullable(),
});

export function createKeptWork(folder: string): KeptWork {
  const folderOf = (id: string): string => join(folder, id);
  const begun = new Set<string>();
  const drop = async (id: string): Promise<void> => {
    await removeTree(folderOf(id));
    begun.delete(id);
  };
  return {
    folderOf,
    begin: (id) => {
      begun.add(id);
      return folderOf(id);
    },
    keep: async (id, captured) => {
      await mkdir(folderOf(id), { recursive: true, mode: 0o700 });
      await writeFileAtomic(join(folderOf(id), FILE), Buffer.from(JSON.stringify(captured)), { mode: 0o600 });
    },
    read: async (id) => {
      const text = await readSmallFile(join(folderOf(id), FILE), BYTES_MAX);
      return text === null ? null : Captured.parse(JSON.parse(text));
    },
    drop,
    sweep: async (isNeeded) => {
      for (const id of await readdir(folder).catch(() => []))
        if (!begun.has(id) && !(await isNeeded(id))) await drop(id);
    },
  };
}
