import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, relative } from "node:path";
import { makeFolders } from "../../store/index.ts";
import { HostError } from "../host-error.ts";
import { writeFileAtomic } from "./atomic-file.ts";
import { confinePath } from "./confine-path.ts";

/** File access for sessions: always below a root, never through a link that leads out of it. */
export interface Files {
  /** The real path of a directory; null when there is none. */
  readonly directory: (path: string) => Promise<string | null>;
  /** The real path of a name, relative to the root; refuses `path_outside` when it leads out. */
  readonly place: (root: string, path: string) => string;
  readonly write: (root: string, path: string, text: string) => Promise<void>;
  readonly read: (root: string, path: string, maxBytes: number) => Promise<string>;
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
      await writeFileAtomic(confinePath(root, path), Buffer.from(text), { mode: 0o644 });
    },
    read: async (root, path, maxBytes) => {
      const place = confinePath(root, path);
      const found = await stat(place);
      // To read a pipe would wait for a writer.
      if (!found.isFile())
        throw new HostError("path_invalid", `${path} is not a file`, { remedy: "name a file", details: { path } });
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
