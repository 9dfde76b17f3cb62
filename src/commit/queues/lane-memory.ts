import type { Store } from "../../store/index.ts";
import { subjectIn } from "../decide-on-stream.ts";

/** Remembers the lanes each stream was last in: a lane that a stream has left has room. */
export interface LaneMemory {
  /**
   * The lanes that these streams were in or are in now. `unknown` when one of them had earlier events that were not
   * seen.
   */
  readonly lanesOf: (firstVersions: ReadonlyMap<string, number>) => Promise<ReadonlySet<string> | "unknown">;
}

const STREAMS_MAX = 20_000;

export function createLaneMemory(store: Pick<Store, "definitions" | "foldStream">): LaneMemory {
  const known = new Map<string, readonly string[]>();
  return {
    lanesOf: async (firstVersions) => {
      const lanes = new Set<string>();
      let isKnown = true;
      for (const [stream, firstVersion] of firstVersions) {
        const before = known.get(stream);
        isKnown &&= before !== undefined || firstVersion === 1;
        const { of } = subjectIn(store, stream);
        const now = [...new Set(of.queued((await store.foldStream(stream)).state).map(({ lane }) => lane))];
        for (const lane of [...(before ?? []), ...now]) lanes.add(lane);
        // Also stored for a stream in no lane, so that it counts as seen.
        known.delete(stream);
        known.set(stream, now);
        const [oldest] = known.keys();
        if (known.size > STREAMS_MAX && oldest !== undefined) known.delete(oldest);
      }
      return isKnown ? lanes : "unknown";
    },
  };
}
