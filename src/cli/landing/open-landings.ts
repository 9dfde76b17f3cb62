import type { Client, OutputOf } from "../../client/index.ts";

export type Landing = OutputOf<"landing.list">["landings"][number];

const LISTED_MAX = 200;

/** Landings that are on their way, in the order of their queues, and refused ones that somebody has to mend. */
export interface OpenLandings {
  readonly open: readonly Landing[];
  readonly refused: readonly Landing[];
}

export const NO_LANDINGS: OpenLandings = { open: [], refused: [] };

export async function openLandings(client: Client): Promise<OpenLandings> {
  const [open, refused] = await Promise.all([
    client.call("landing.list", { state: "open", limit: LISTED_MAX }),
    client.call("landing.list", { state: "refused", limit: LISTED_MAX }),
  ]);
  return {
    open: open.landings.toSorted((one, other) => rankOf(one) - rankOf(other)),
    refused: refused.landings.filter(({ waitsFor }) => waitsFor !== undefined),
  };
}

/** Two sessions whose work collides, or a session and its branch, and where first. */
export interface Collision {
  readonly sessions: readonly string[];
  /** Null between two sessions. */
  readonly branch: string | null;
  readonly path: string;
  /** Of the first session's file. */
  readonly line: number | null;
}

export async function collisions(client: Client): Promise<readonly Collision[]> {
  const { conflicts, bases } = await client.call("conflict.list", {});
  const pairs = conflicts.map(({ sessions, files }) => ({ sessions, branch: null, files }));
  const moved = bases.map(({ sessionId, branch, files }) => ({ sessions: [sessionId], branch, files }));
  return [...pairs, ...moved].flatMap(({ sessions, branch, files }) => {
    // What merges by itself needs nobody.
    const first = files.find(({ kind }) => kind !== "moved");
    return first === undefined ? [] : [{ sessions, branch, path: first.path, line: first.lines?.[0]?.a.from ?? null }];
  });
}

/** Refused ones that no agent mends. */
export function needingPerson({ refused }: OpenLandings): readonly Landing[] {
  return refused.filter(({ waitsFor }) => waitsFor === "person");
}

function rankOf({ state, ahead = 0 }: Landing): number {
  return state === "checking" ? -1 : ahead;
}

/** What a landing does, in a few words. */
export function stateWords({ state, into, ahead = 0, held, checking, waitsFor, findings }: Landing): string {
  switch (state) {
    case "queued":
      if (held !== undefined) return `landing on ${into} is held back: ${held}`;
      return ahead === 0 ? `lands on ${into} next` : `queued for ${into}, ${ahead} ahead`;
    case "checking":
      return `being checked for ${into}${checking === undefined ? "" : `: ${checking}`}`;
    case "refused":
      return waitsFor === "agent"
        ? `refused by ${into}; its agent mends it`
        : `refused by ${into}: ${findings[0]?.message ?? ""}`;
    default:
      return state;
  }
}
