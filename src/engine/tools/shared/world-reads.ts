import type { World } from "../../tool.ts";

/** A whole file of at most `bytesMax` bytes, with the hash by which a change since then is noticed. */
export async function readWhole(world: World, path: string, bytesMax: number): Promise<WholeFile> {
  const { bytes, size, hash } = await world.read(path, { from: 0, bytes: bytesMax });
  return size > bytesMax || hash === null ? { isWhole: false, size } : { isWhole: true, bytes, size, hash };
}

export type WholeFile =
  | { readonly isWhole: true; readonly bytes: Uint8Array; readonly size: number; readonly hash: string }
  | { readonly isWhole: false; readonly size: number };
