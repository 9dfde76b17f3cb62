import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Makes the folders from `top` down to `below` one by one, because a link in the base could lead out of the tree. False
 * when there is a link or another non-folder on the way.
 */
export async function makeFolders(top: string, below: string): Promise<boolean> {
  let here = top;
  for (const name of below.split("/").filter((part) => part !== "" && part !== ".")) {
    here = join(here, name);
    const found = await lstat(here).catch(() => null);
    if (found === null) await mkdir(here);
    else if (!found.isDirectory()) return false;
  }
  return true;
}
