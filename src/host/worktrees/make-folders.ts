import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Makes the folders on the way from `top` down to `below`, one by one: a link that the base has on that way would lead
 * out of the tree. False: there is such a link, or something else that is no folder.
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
