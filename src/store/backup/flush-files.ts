import { open } from "node:fs/promises";
import { translated } from "../files/durable-file.ts";

export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;
const AT_ONCE = 8;

/** Flushes files and folders. All are written before the first flush, so that the disk can order the writes. */
export async function flushFiles(paths: Iterable<string>): Promise<void> {
  await eachAtOnce(paths, (path) =>
    translated(async () => {
      const file = await open(path, "r");
      await file.sync().finally(() => file.close());
    }),
  );
}

/** Limits concurrency, so that memory use and open files do not grow with the number of items. */
export async function eachAtOnce<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  const next = async (): Promise<void> => {
    for (let item = left.next(); item.done !== true; item = left.next()) await work(item.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}
