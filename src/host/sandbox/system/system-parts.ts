import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { UNREACHABLE, unless } from "../../errno.ts";

/** System folders that every program needs and that hold nothing of a person or a service. */
const SYSTEM_FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/nix/store"] as const;

export type SystemPart =
  | { readonly path: string; readonly link: string }
  | { readonly path: string; readonly folder: true };

export function systemParts(): SystemPart[] {
  return SYSTEM_FOLDERS.flatMap((path): SystemPart[] => {
    const found = unless<Stats>(UNREACHABLE, () => lstatSync(path));
    if (found?.isSymbolicLink()) return [{ path, link: readlinkSync(path) }];
    return found?.isDirectory() ? [{ path, folder: true }] : [];
  });
}
