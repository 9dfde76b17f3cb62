import type { Client } from "../../client/index.ts";
import {
  type Collision,
  collisions,
  type Landing,
  NO_LANDINGS,
  type OpenLandings,
  openLandings,
} from "../landing/open-landings.ts";
import { type WorkInNeed, worksInNeed } from "../work/works-in-need.ts";

/** What lands and whose work on a ticket waits, as the board knows it. Read again when an event says that it is another. */
export interface LandingsFeed {
  readonly all: () => OpenLandings;
  readonly of: (sessionId: string) => Landing | undefined;
  readonly collisions: () => readonly Collision[];
  readonly works: () => readonly WorkInNeed[];
  /** Whether an event of this stream is a reason to load. */
  readonly hear: (kind: string, id: string) => boolean;
  readonly forget: () => void;
  readonly load: () => Promise<void>;
}

export function createLandingsFeed(client: Client): LandingsFeed {
  let landings = NO_LANDINGS;
  let colliding: readonly Collision[] = [];
  let works: readonly WorkInNeed[] = [];
  let isStale = true;
  return {
    all: () => landings,
    collisions: () => colliding,
    works: () => works,
    of: (sessionId) => [...landings.open, ...landings.refused].find((one) => one.sessionId === sessionId),
    hear: (kind, id) => {
      // A session that goes on has dealt with its refused landing.
      const isHeard =
        kind === "landing" ||
        kind === "conflict" ||
        kind === "work" ||
        landings.refused.some(({ sessionId }) => sessionId === id);
      isStale ||= isHeard;
      return isHeard;
    },
    forget: () => {
      isStale = true;
    },
    load: async () => {
      if (!isStale) return;
      isStale = false;
      landings = await openLandings(client).catch(() => landings);
      colliding = await collisions(client).catch(() => colliding);
      works = await worksInNeed(client).catch(() => works);
    },
  };
}
