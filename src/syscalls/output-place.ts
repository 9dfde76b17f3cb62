import { mkdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { NomosError } from "../contract/index.ts";
import { fileStamp, isInside } from "../host/index.ts";

/** An export or a backup: its default folder, and its errors. */
export interface Output {
  readonly folder: "exports" | "backups";
  readonly refused: (details: { readonly to: string | null; readonly reason: string }) => NomosError;
}

/**
 * The real path to write to: the one the operator named, or a new name in its own folder of the home. Other places in the
 * home are refused: the output could be mistaken for a part of the home.
 */
export async function outputPlace(home: string, to: string | null, { folder, ...output }: Output): Promise<string> {
  const own = join(home, folder);
  const refused = (reason: string): NomosError => output.refused({ to, reason });
  if (to === null) {
    await mkdir(own, { recursive: true, mode: 0o700 });
    return join(own, `nomos-${fileStamp()}`);
  }
  if (!isAbsolute(to)) throw refused("the path is not absolute");
  if (dirname(to) === own) await mkdir(own, { recursive: true, mode: 0o700 });
  const above = await realpath(dirname(to)).catch(() => null);
  if (above === null || !(await stat(above)).isDirectory()) throw refused("its directory does not exist");
  const place = join(above, basename(to));
  const isOwn = isInside(own, place) && place !== own;
  if (isInside(home, place) && !isOwn) throw refused("it lies in the home");
  return place;
}
