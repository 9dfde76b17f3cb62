import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { NomosError } from "../../contract/index.ts";

export interface DocService {
  readonly list: () => Promise<readonly { readonly path: string; readonly title: string; readonly bytes: number }[]>;
  /** Throws `doc_not_found` for a page that is not listed. */
  readonly read: (path: string) => Promise<string>;
}

const PAGE_BYTES_MAX = 1_048_576;

/** Markdown pages of the package. Only listed pages can be read; a path from a caller is never joined. */
export function createDocs(root: string = packageRoot()): DocService {
  const list = async () => {
    const beside = (await readdir(root)).filter(isPage);
    const below = await readdir(join(root, "docs"), { recursive: true, withFileTypes: true }).catch(() => []);
    const pages = below
      .filter((entry) => entry.isFile() && isPage(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)));
    const sized = await Promise.all([...beside.sort(), ...pages.sort()].map((path) => describe(root, path)));
    return sized.filter(({ bytes }) => bytes <= PAGE_BYTES_MAX);
  };
  return {
    list,
    read: async (path) => {
      if (!(await list()).some((page) => page.path === path)) throw new NomosError("doc_not_found", { path });
      return readFile(join(root, path), "utf8");
    },
  };
}

function packageRoot(): string {
  return dirname(fileURLToPath(new URL("../../../package.json", import.meta.url)));
}

function isPage(name: string): boolean {
  return name.endsWith(".md");
}

async function describe(root: string, path: string) {
  const { size } = await stat(join(root, path));
  const [first = ""] = (await readFile(join(root, path), "utf8")).split("\n", 1);
  return { path, title: first.replace(/^#+\s*/, "") || path, bytes: size };
}
