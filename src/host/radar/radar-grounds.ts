import type { GitRunner } from "../git/run-git.ts";
import { forgetLook } from "./look-at-tree.ts";
import { type Ground, type GroundPlace, openGround } from "./radar-ground.ts";
import type { RadarTree } from "./radar-tree.ts";

/** The grounds of all repositories whose worktrees are compared. */
export interface Grounds {
  readonly placed: (at: GroundPlace) => void;
  /** Opened again when it has become large. */
  readonly of: (key: string, group: readonly RadarTree[]) => Promise<Ground>;
  readonly known: (key: string) => Ground | null;
  /** Closes those without trees. */
  readonly keep: (keys: ReadonlySet<string>) => Promise<void>;
}

/** Objects of looks pile up in the view, so it is made anew. */
const WRITTEN_MAX = 200;

export function createGrounds(git: GitRunner, scratch: string): Grounds {
  const places = new Map<string, GroundPlace>();
  const grounds = new Map<string, Ground>();
  const close = async (key: string): Promise<void> => {
    const ground = grounds.get(key);
    grounds.delete(key);
    await ground?.[Symbol.asyncDispose]();
  };
  return {
    placed: (at) => void places.set(at.key, at),
    of: async (key, group) => {
      const known = grounds.get(key);
      if (known !== undefined && known.written < WRITTEN_MAX) {
        for (const { record } of group) await known.cover(record);
        return known;
      }
      await close(key);
      const ground = await openGround(git, scratch, places.get(key) ?? { key, user: null }, group);
      grounds.set(key, ground);
      for (const tree of group) if (tree.commit !== null) forgetLook(tree);
      return ground;
    },
    known: (key) => grounds.get(key) ?? null,
    keep: async (keys) => {
      for (const key of [...grounds.keys()]) if (!keys.has(key)) await close(key);
      for (const key of [...places.keys()]) if (!keys.has(key)) places.delete(key);
    },
  };
}
