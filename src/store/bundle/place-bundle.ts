import { randomBytes } from "node:crypto";
import { link, lstat, mkdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { flushFolder, isErrno, translated } from "../files/durable-file.ts";
import { StoreError } from "../port.ts";

export type BundleForm = "folder" | "tar";

/** The place of a bundle: it is written under `temporary`, then renamed or removed. */
export interface BundlePlace {
  readonly temporary: string;
  readonly form: BundleForm;
  readonly complete: () => Promise<void>;
  readonly abandon: () => Promise<void>;
}

/** Reserves the name first. If something has it already, refuses `export_exists`. */
export async function claimPlace(path: string): Promise<BundlePlace> {
  const form = path.endsWith(".tar") ? "tar" : "folder";
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  await claim(path, form);
  const abandon = async (): Promise<void> => {
    await rm(temporary, { recursive: true, force: true });
    await rm(`${temporary}.lines`, { force: true });
  };
  return {
    temporary,
    form,
    complete: () =>
      translated(async () => {
        try {
          await (form === "tar" ? linkAs(temporary, path) : rename(temporary, path));
        } catch (cause) {
          throw isErrno(cause, "EEXIST", "ENOTEMPTY", "ENOTDIR") ? exists(path) : cause;
        }
        await flushFolder(dirname(path));
      }),
    abandon: async () => {
      await abandon();
      if (form === "folder") await rmdir(path).catch(unlessFilled);
    },
  };
}

/**
 * An empty folder reserves the name, and the finished folder replaces it. For a file, the final `link` call decides.
 */
async function claim(path: string, form: BundleForm): Promise<void> {
  await translated(async () => {
    if (form === "folder")
      await mkdir(path, { mode: 0o700 }).catch((cause: unknown) => {
        throw isErrno(cause, "EEXIST") ? exists(path) : cause;
      });
    else if ((await lstat(path).catch(orNull)) !== null) throw exists(path);
  });
}

async function linkAs(temporary: string, path: string): Promise<void> {
  await link(temporary, path);
  await rm(temporary);
}

function unlessFilled(cause: unknown): void {
  if (!isErrno(cause, "ENOENT", "ENOTEMPTY")) throw cause;
}

function orNull(cause: unknown): null {
  if (isErrno(cause, "ENOENT")) return null;
  throw cause;
}

function exists(path: string): StoreError {
  return new StoreError("export_exists", { path });
}
