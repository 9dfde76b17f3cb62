import { mkdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { NomosError } from "../contract/index.ts";
import { isInside } from "../host/index.ts";

/**
 * Where an export goes, with links resolved: what the operator named, or a new name in the home's own folder for exports.
 * Nothing else in the home is a place for it: a bundle there could be taken for a part of the home.
 */
export async function exportPlace(home: string, to: string | null): Promise<string> {
  const exports = join(home, "exports");
  if (to === null) {
    await mkdir(exports, { recursive: true, mode: 0o700 });
    return join(exports, `nomos-${new Date().toISOString().replaceAll(/[-:.]/g, "")}`);
  }
  if (!isAbsolute(to)) throw refused(to, "the path is not absolute");
  if (dirname(to) === exports) await mkdir(exports, { recursive: true, mode: 0o700 });
  const folder = await realpath(dirname(to)).catch(() => null);
  if (folder === null || !(await stat(folder)).isDirectory()) throw refused(to, "its directory does not exist");
  const place = join(folder, basename(to));
  const isOwn = isInside(exports, place) && place !== exports;
  if (isInside(home, place) && !isOwn) throw refused(to, "it lies in the home");
  return place;
}

function refused(to: string, reason: string): NomosError {
  return new NomosError("export_refused", { to, reason });
}
