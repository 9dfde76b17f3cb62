import { type FileHandle, open } from "node:fs/promises";

/** Where a bundle is written. It gets its final name only when it is complete and flushed. */
export interface BundleSink {
  readonly lines: (bytes: Buffer) => Promise<void>;
  readonly blob: (sha256: string, bytes: Uint8Array) => Promise<void>;
  /** Writes the last files and completes the bundle. */
  readonly finish: (files: readonly (readonly [name: string, text: string])[]) => Promise<void>;
  /** Closes open files when the bundle will not be finished. */
  readonly abandon: () => Promise<void>;
}

/** A file of lines. Each chunk is written while the next is made. */
export interface LineFile {
  readonly write: (bytes: Buffer) => Promise<void>;
  /** Flushes and closes. Returns the number of bytes. */
  readonly end: () => Promise<number>;
  readonly abandon: () => Promise<void>;
}

const CHUNK_BYTES = 1_048_576;
export const FILE_MODE = 0o600;

export async function openLineFile(path: string): Promise<LineFile> {
  const file: FileHandle = await open(path, "wx", FILE_MODE);
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let bytes = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async (): Promise<void> => {
    const chunk = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    bytes += chunk.length;
    await writing;
    writing = file.writeFile(chunk);
    // Whoever flushes next is told.
    writing.catch(() => undefined);
  };
  return {
    write: async (chunk) => {
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes >= CHUNK_BYTES) await flush();
    },
    end: async () => {
      await flush()
        .then(() => writing)
        .then(() => file.sync())
        .finally(() => file.close());
      return bytes;
    },
    abandon: async () => {
      await writing.catch(() => undefined);
      await file.close();
    },
  };
}
