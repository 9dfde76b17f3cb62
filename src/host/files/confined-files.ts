import { open, readFile, realpath, stat, unlink } from "node:fs/promises";
import { dirname, isAbsolute, relative } from "node:path";
import { makeFolders } from "../../store/index.ts";
import { HostError } from "../host-error.ts";
import { writeFileAtomic } from "./atomic-file.ts";
import { confinePath } from "./confine-path.ts";
import { missingFile, notAFile } from "./file-errors.ts";

/** File access for sessions: always below a root, never through a link that leads out of it. */
export interface Files {
  /** The real path of a directory; null when there is none. */
  readonly directory: (path: string) => Promise<string | null>;
  /** The real path of a name, relative to the root; refuses `path_outside` when it leads out. */
  readonly place: (root: string, path: string) => string;
  readonly write: (root: string, path: string, text: string) => Promise<void>;
  readonly read: (root: string, path: string, maxBytes: number) => Promise<string>;
  /** A range of a file's bytes; refuses `file_missing` and what is no file. */
  readonly range: (
    root: string,
    path: string,
    from: number,
    bytes: number,
  ) => Promise<{ readonly bytes: Uint8Array; readonly size: number }>;
  readonly remove: (root: string, path: string) => Promise<void>;
}

export function systemFiles(): Files {
  return {
    directory: async (path) => {
      if (path.includes("\0") || !isAbsolute(path)) return null;
      const real = await realpath(path).catch(() => null);
      return real !== null && (await stat(real)).isDirectory() ? real : null;
    },
    place: (root, path) => relative(root, confinePath(root, path)),
    write: async (root, path, text) => {
      makeFolders(dirname(confinePath(root, path)), 0o777);
      const place = confinePath(root, path);
      const before = await stat(place).catch(() => null);
      await writeFileAtomic(place, Buffer.from(text), { mode: before === null ? 0o644 : before.mode & 0o777 });
    },
    range: async (root, path, from, bytes) => {
      const place = confinePath(root, path);
      const found = await stat(place).catch((thrown: unknown) => missingFile(path, thrown));
      if (!found.isFile()) throw notAFile(path);
      await using file = await open(place);
      const buffer = Buffer.alloc(Math.max(0, Math.min(bytes, found.size - from)));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
      return { bytes: buffer.subarray(0, bytesRead), size: found.size };
    },
    remove: async (root, path) => {
      const place = confinePath(root, path);
      if (!(await stat(place).catch((thrown: unknown) => missingFile(path, thrown))).isFile()) throw notAFile(path);
      await unlink(place);
    },
    read: async (root, path, maxBytes) => {
      const place = confinePath(root, path);
      const found = await stat(place);
      // To read a pipe would wait for a writer.
      if (!found.isFile()) throw notAFile(path);
      const { size } = found;
      if (size > maxBytes)
        throw new HostError("file_too_large", `${path} has ${size} bytes`, {
          remedy: `read files of at most ${maxBytes} bytes`,
          details: { path, size, maxBytes },
        });
      return readFile(place, "utf8");
    },
  };
}
