import { type FileHandle, open } from "node:fs/promises";

/** Where a bundle is written. It gets its final name only when it is complete and flushed. */
export interface BundleSink {
  readonly line: (text: string) => Promise<void>;
  readonly blob: (sha256: string, bytes: Uint8Array) => Promise<void>;
  /** Writes the last files and completes the bundle. */
  readonly finish: (files: readonly (readonly [name: string, text: string])[]) => Promise<void>;
  /** Closes open files when the bundle will not be finished. */
  readonly abandon: () => Promise<void>;
}

/** A file that is written line by line, with buffering. */
export interface LineFile {
  readonly write: (text: string) => Promise<void>;
  /** Flushes and closes. Returns the number of bytes. */
  readonly end: () => Promise<number>;
  readonly abandon: () => Promise<void>;
}

const BUFFER_CHARS = 1_048_576;
export const FILE_MODE = 0o600;

export async function openLineFile(path: string): Promise<LineFile> {
  const file: FileHandle = await open(path, "wx", FILE_MODE);
  let waiting: string[] = [];
  let chars = 0;
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const chunk = Buffer.from(waiting.join(""));
    waiting = [];
    chars = 0;
    bytes += chunk.length;
    await file.writeFile(chunk);
  };
  return {
    write: async (text) => {
      waiting.push(text);
      chars += text.length;
      if (chars >= BUFFER_CHARS) await flush();
    },
    end: async () => {
      await flush()
        .then(() => file.sync())
        .finally(() => file.close());
      return bytes;
    },
    abandon: () => file.close(),
  };
}
