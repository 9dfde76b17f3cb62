import { readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HASH_BYTES } from "../../domains/index.ts";
import {
  failure,
  flushFolder,
  isErrno,
  makeFolder,
  readIfThere,
  replaceFile,
  translated,
  writeFlushed,
} from "../files/durable-file.ts";
import { edgeIndex, edgeWidth, TILE_WIDTH, type Tile, type TileStore, type TreeHead } from "./tile-store.ts";

/**
 * `tile/<level>/<index>`, the index in groups of three digits: 1234067 is `x001/x234/067`; an incomplete tile is
 * `….p/<width>`.
 */
export function tilePath(level: number, index: number, width: number = TILE_WIDTH): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/\d{3}/g) ?? [];
  const path = groups.map((group, at) => (at === groups.length - 1 ? group : `x${group}`)).join("/");
  return `tile/${level}/${path}${width === TILE_WIDTH ? "" : `.p/${width}`}`;
}

/** An incomplete tile may be replaced by a wider one between listing and reading. */
const READ_TRIES = 3;
const HEAD_FORM = /^(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$/;

/**
 * Tiles as files, written in place without a rename: nobody reads a tile before the head covers it, and a covered tile
 * is not written again. Only the newest incomplete tile is kept, because it contains the earlier ones.
 */
export function createTileFiles(folder: string): TileStore {
  const headPath = join(folder, "size");
  const full = (level: number, index: number): string => join(folder, tilePath(level, index));
  const partial = (level: number, index: number): string => `${full(level, index)}.p`;

  /** Reads an incomplete tile from the narrowest file that is wide enough; wider ones may be torn. */
  const readPart = async (level: number, index: number, width: number): Promise<Uint8Array | null> => {
    for (let left = READ_TRIES; left > 0; left -= 1) {
      const wide = (await widths(partial(level, index))).find((found) => found >= width);
      if (wide === undefined) return null;
      const part = await readOrNothing(join(partial(level, index), String(wide)));
      if (part !== null) return part.length === wide * HASH_BYTES ? part.subarray(0, width * HASH_BYTES) : null;
    }
    return null;
  };

  const read = async (level: number, index: number, width: number): Promise<Uint8Array | null> => {
    const part = width === TILE_WIDTH ? null : await readPart(level, index, width);
    if (part !== null) return part;
    const whole = await readOrNothing(full(level, index));
    return whole?.length === TILE_WIDTH * HASH_BYTES ? whole.subarray(0, width * HASH_BYTES) : null;
  };

  const writeTile = async ({ level, index, hashes }: Tile): Promise<string> => {
    const path = join(folder, tilePath(level, index, hashes.length / HASH_BYTES));
    await makeFolder(dirname(path));
    await writeFlushed(path, hashes);
    return dirname(path);
  };

  /** After the head is written. Best effort: a leftover narrower tile only costs space. */
  const dropNarrower = async (tiles: readonly Tile[], { size }: TreeHead): Promise<void> => {
    for (const { level, index } of tiles) {
      const isEdge = index === edgeIndex(size, level);
      for (const width of await widths(partial(level, index)))
        if (!isEdge || width < edgeWidth(size, level)) await rm(join(partial(level, index), String(width)));
      if (!isEdge) await rm(partial(level, index), { recursive: true, force: true });
    }
  };

  return {
    head: async () => {
      const bytes = await readOrNothing(headPath);
      const [, size, root] = HEAD_FORM.exec(bytes === null ? "" : Buffer.from(bytes).toString("latin1")) ?? [];
      return size === undefined || root === undefined
        ? null
        : { size: Number(size), root: Buffer.from(root, "base64") };
    },
    read,
    write: (tiles, head) =>
      translated(async () => {
        await makeFolder(folder);
        const touched = new Set(await Promise.all(tiles.map(writeTile)));
        await Promise.all([...touched].map(flushFolder));
        if (head === null) return;
        await replaceFile(headPath, `${head.size}\n${Buffer.from(head.root).toString("base64")}\n`);
        await dropNarrower(tiles, head);
      }),
    clear: () =>
      translated(async () => {
        await makeFolder(folder);
        try {
          await rm(headPath, { force: true });
          await flushFolder(folder);
          await rm(join(folder, "tile"), { recursive: true, force: true });
        } catch {
          // Foreign or undeletable files: move the folder aside, because the rebuilt tree does not need it.
          await rename(folder, join(dirname(folder), `aside-${Date.now()}-${basename(folder)}`));
          await makeFolder(folder);
        }
        await flushFolder(folder);
      }),
  };
}

/** An unreadable tile is treated as missing and rebuilt. */
function readOrNothing(path: string): Promise<Uint8Array | null> {
  return readIfThere(path).catch(() => null);
}

/** The widths of an incomplete tile's files, narrowest first. */
async function widths(path: string): Promise<readonly number[]> {
  const names = await readdir(path).catch((cause: unknown) => {
    if (isErrno(cause, "ENOENT", "ENOTDIR", "EACCES")) return [];
    throw failure(cause);
  });
  return names
    .filter((name) => /^[1-9]\d{0,2}$/.test(name) && Number(name) < TILE_WIDTH)
    .map(Number)
    .sort((a, b) => a - b);
}
