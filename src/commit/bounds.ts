import type { AnyFact, SpaceNeed } from "../kernel/index.ts";
import type { MayKeep, Quota } from "../store/index.ts";

/** Decides, before anything is written, whether there is room. The implementation knows the limits and the disk. */
export interface Bounds {
  /** Throws `disk_low`; otherwise returns the quota for the append, or null for facts that are never refused. */
  readonly judge: (spaceNeed: SpaceNeed, facts: readonly AnyFact[]) => Quota | null;
  /** Throws when a blob may not be stored; the returned function checks again with the compressed size. */
  readonly mayKeep: (stream: string, spaceNeed: SpaceNeed) => Promise<MayKeep>;
  /** Large output is cut instead of stored as a blob. */
  readonly isTight: () => boolean;
}

/** No limits: accepts everything. */
export const UNBOUNDED: Bounds = {
  judge: () => null,
  mayKeep: async () => () => undefined,
  isTight: () => false,
};
