import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { flushFolder } from "../files/durable-file.ts";
import { type BundleSink, FILE_MODE, openLineFile } from "./sink.ts";

/** Writes a bundle as a folder under a temporary name. */
export async function openFolderSink(folder: string): Promise<BundleSink> {
  const blobs = join(folder, "blobs");
  await mkdir(folder, { mode: 0o700 });
  await mkdir(blobs, { mode: 0o700 });
  const events = await openLineFile(join(folder, "events.jsonl"));
  const put = async (path: string, bytes: Uint8Array | string): Promise<void> => {
    await using file = await open(path, "wx", FILE_MODE);
    await file.writeFile(bytes);
    await file.sync();
  };
  return {
    lines: events.write,
    blob: (sha256, bytes) => put(join(blobs, sha256), bytes),
    finish: async (files) => {
      await events.end();
      for (const [name, text] of files) await put(join(folder, name), text);
      await flushFolder(blobs);
      await flushFolder(folder);
    },
    abandon: events.abandon,
  };
}
