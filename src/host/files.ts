import { mkdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, relative, sep } from "node:path";
import { writeFileAtomic } from "./atomic-file.ts";
import { confinePath } from "./confine-path.ts";
import { errno } from "./errno.ts";
import { type HeldFolder, holdFolder } from "./held-folder.ts";
import { HostError } from "./host-error.ts";

/** The file system as sessions touch it: always below a root, never through a link that leads out of it. */
export interface Files {
  /** The real path of a directory; null when there is none. */
  readonly directory: (path: string) => Promise<string | null>;
  /** The path below the root that a name really means; refused with `path_outside` when it leads out. */
  readonly place: (root: string, path: string) => string;
  /** `root` is a real path: one that was replaced by a link is refused with `path_outside`. */
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
      const place = confinePath(root, path);
      await using folder = await holdBelow(root, dirname(place), path, true);
      await writeFileAtomic(folder.at(basename(place)).toString(), Buffer.from(text), { mode: 0o644 });
    },
    read: async (root, path, maxBytes) => {
      const place = confinePath(root, path);
      await using folder = await holdBelow(root, dirname(place), path, false);
      await using file = await folder.file(basename(place));
      if (file === null)
        throw new HostError("path_invalid", `${path} is no file`, { remedy: "name a file of the workspace" });
      const { size } = await file.stat();
      if (size > maxBytes)
        throw new HostError("file_too_large", `${path} has ${size} bytes`, {
          remedy: `read files of at most ${maxBytes} bytes`,
          details: { path, size, maxBytes },
        });
      return file.readFile("utf8");
    },
  };
}

/**
 * Opens a folder step by step from the root. The daemon reaches its own home, which a session does not: a session that
 * puts a link on the way, after the path was checked, must not have it read or write there.
 */
async function holdBelow(root: string, place: string, path: string, make: boolean): Promise<HeldFolder> {
  let folder = (await holdFolder(root)) ?? refuse(root, path);
  for (const part of relative(root, place).split(sep).filter(Boolean)) {
    await using outer = folder;
    if (make) await mkdir(outer.at(part)).catch(unlessThere);
    folder = (await outer.inner(part)) ?? refuse(root, path);
  }
  return folder;
}

function unlessThere(thrown: unknown): void {
  if (errno(thrown) !== "EEXIST") throw thrown;
}

function refuse(root: string, path: string): never {
  throw new HostError("path_outside", `a folder on the way to ${path} is missing, or is a link`, {
    remedy: `name a path below ${root}, and see that ${root} is the directory that the session began in`,
    details: { root, path },
  });
}
