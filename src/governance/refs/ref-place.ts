import { stat } from "node:fs/promises";
import type { Repository } from "../../host/index.ts";

/** Where refs live: the common git dir, which all worktrees of a clone share. */
export type RefPlace = Pick<Repository, "commonDir" | "config" | "objectFormat" | "refFormat">;

export interface RefOwner {
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** A daemon that runs as root writes as the owner of the repository. */
export async function ownerOf({ commonDir }: RefPlace): Promise<RefOwner> {
  const { uid, gid } = await stat(commonDir);
  return process.getuid?.() === 0 && uid !== 0 ? { user: { uid, gid } } : {};
}

export function noObject({ objectFormat }: Pick<RefPlace, "objectFormat">): string {
  return "0".repeat(objectFormat === "sha256" ? 64 : 40);
}
