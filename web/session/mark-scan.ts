import type { LogEvent } from "../../src/client/index.ts";
import type { ReadEvents } from "./pages-of-log.ts";

const MARKED = ["turn.admitted", "turn.ended", "approval.requested", "session.rewound", "session.failed"];
const IS_MARKED = new RegExp(`^(?:${MARKED.map((type) => type.replace(".", "\\.")).join("|")})@`);
const PAGE = 1_000;
/** Enough for the slider. Of rewinds all are needed: they say what no longer counts. */
const MARKS_MAX = 2_000;
/** A page with a filter reads some thousands of events, so this is the way through a million. */
const PAGES_MAX = 250;

export function isMarked({ type }: LogEvent): boolean {
  return IS_MARKED.test(type);
}

/** Reads from the newest event back, besides everything else. True when the beginning was reached. */
export async function scanMarks(
  id: string,
  read: ReadEvents,
  found: (events: readonly LogEvent[]) => boolean,
): Promise<boolean> {
  let count = 0;
  let after: number | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const types = count < MARKS_MAX ? MARKED : ["session.rewound"];
    const { events, next } = await read({
      id,
      types,
      order: "desc",
      limit: PAGE,
      ...(after === null ? {} : { after }),
    });
    count += events.length;
    if (!found(events)) return false;
    if (next === null) return true;
    after = next;
  }
  return true;
}
