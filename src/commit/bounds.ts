import type { AnyFact, SpaceNeed } from "../kernel/index.ts";
import type { MayKeep, Quota } from "../store/index.ts";

/** Asked before anything is written: whether there is room for it. Whoever knows the limits and the disk answers. */
export interface Bounds {
  /** Throws `disk_low`; otherwise the quota that the append has to keep, null for what always gets in. */
  readonly judge: (spaceNeed: SpaceNeed, facts: readonly AnyFact[]) => Quota | null;
  /** Throws when a blob may not be kept; the answer is asked again with the size it is stored in. */
  readonly mayKeep: (stream: string, spaceNeed: SpaceNeed) => Promise<MayKeep>;
  /** Large output is cut instead of kept. */
  readonly isTight: () => boolean;
}

/** Everything is let in. */
export const UNBOUNDED: Bounds = {
  judge: () => null,
  mayKeep: async () => () => undefined,
  isTight: () => false,
};
