import { type FileHandle, open, rename, stat } from "node:fs/promises";

export interface RotatedFile {
  /** Writes whole lines at the end. Not to be called again before it has settled. */
  readonly writeLines: (lines: readonly Buffer[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface RotationLimits {
  /** A file with this many bytes is full. */
  readonly bytesMax: number;
  /** Full files that are kept beside the current one: `path.1` is the newest. */
  readonly filesKept: number;
}

/** A file that is renamed when it is full. After an error it is opened anew by the next append. */
export function createRotatedFile(path: string, { bytesMax, filesKept }: RotationLimits): RotatedFile {
  let current: { readonly file: FileHandle; size: number } | null = null;

  const close = async (): Promise<void> => {
    const was = current;
    current = null;
    await was?.file.close();
  };
  const opened = async () => {
    if (current === null) {
      const file = await open(path, "a", 0o600);
      current = { file, size: (await file.stat()).size };
    }
    return current;
  };
  const rotate = async (): Promise<void> => {
    await close();
    for (let number = filesKept - 1; number >= 1; number -= 1)
      await moveIfThere(`${path}.${number}`, `${path}.${number + 1}`);
    await moveIfThere(path, `${path}.1`);
    await opened();
  };
  const appendFrom = async (lines: readonly Buffer[], from: number): Promise<number> => {
    const into = await opened();
    let to = from;
    for (let size = into.size; to < lines.length && size < bytesMax; to += 1) size += lines[to]?.length ?? 0;
    const bytes = Buffer.concat(lines.slice(from, to));
    await into.file.appendFile(bytes);
    into.size += bytes.length;
    if (into.size >= bytesMax) await rotate();
    return to;
  };
  return {
    writeLines: async (lines) => {
      try {
        for (let from = 0; from < lines.length; ) from = await appendFrom(lines, from);
      } catch (thrown) {
        await close();
        throw thrown;
      }
    },
    close,
  };
}

async function moveIfThere(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => null);
  if (found !== null && found.size > 0) await rename(from, to);
}
