import { type FileHandle, open } from "node:fs/promises";

/** Where a bundle is written. It gets its final name only when it is complete and flushed. */
export interface BundleSink {
  /** The bytes may change after this resolves. */
  readonly lines: (bytes: Buffer) => Promise<void>;
  readonly blob: (sha256: string, bytes: Uint8Array) => Promise<void>;
  /** Writes the last files and completes the bundle. */
  readonly finish: (files: readonly (readonly [name: string, text: string])[]) => Promise<void>;
  /** Closes open files when the bundle will not be finished. */
  readonly abandon: () => Promise<void>;
}

/** A file of lines. One chunk is written while the next is filled. */
export interface LineFile {
  readonly write: (bytes: Buffer) => Promise<void>;
  /** Flushes and closes. Returns the number of bytes. */
  readonly end: () => Promise<number>;
  readonly abandon: () => Promise<void>;
}

const CHUNK_BYTES = 1_048_576;
/** Flushed as it goes: otherwise the whole file would have to be waited for at the end. */
const FLUSH_BYTES = 67_108_864;
export const FILE_MODE = 0o600;

export async function openLineFile(path: string): Promise<LineFile> {
  const file: FileHandle = await open(path, "wx", FILE_MODE);
  let [chunk, other] = [Buffer.allocUnsafeSlow(CHUNK_BYTES), Buffer.allocUnsafeSlow(CHUNK_BYTES)];
  let [filled, bytes, flushed] = [0, 0, 0];
  let [writing, flushing]: Promise<void>[] = [Promise.resolve(), Promise.resolve()];
  const drain = async (): Promise<void> => {
    await writing;
    writing = owned(file.writeFile(chunk.subarray(0, filled)));
    [chunk, other] = [other, chunk];
    bytes += filled;
    filled = 0;
    if (bytes - flushed < FLUSH_BYTES) return;
    await flushing;
    flushing = owned(file.datasync());
    flushed = bytes;
  };
  return {
    write: async (given) => {
      for (let at = 0; at < given.length; ) {
        const taken = given.copy(chunk, filled, at);
        at += taken;
        filled += taken;
        if (filled === chunk.length) await drain();
      }
    },
    end: async () => {
      await drain()
        .then(() => Promise.all([writing, flushing]))
        .then(() => file.sync())
        .finally(() => file.close());
      return bytes;
    },
    abandon: async () => {
      await Promise.allSettled([writing, flushing]);
      await file.close();
    },
  };
}

/** A failure is thrown to whoever awaits it next. */
function owned(work: Promise<void>): Promise<void> {
  work.catch(() => undefined);
  return work;
}
