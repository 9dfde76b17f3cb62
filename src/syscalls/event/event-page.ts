import * as z from "zod";
import { type EventWire, NomosError } from "../../contract/index.ts";
import type { EventPage, Store } from "../../store/index.ts";
import type { Context } from "../define.ts";

export const EVENTS_MAX = 1000;
export const Cursor = z
  .union([z.number().int().min(0), z.string().max(64)])
  .optional()
  .describe("a `next`, a `seq`, an event id, or `now`; reading starts after it");
export const Since = Cursor.describe("other hosts' name for `after`");
export const Types = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(","))])
  .optional()
  .describe("only events of these types, with or without version");

export function eventPage(page: EventPage) {
  return {
    events: page.events.map((event) => ({ ...event, data: event.data as z.input<typeof EventWire>["data"] })),
    next: page.next,
  };
}

/** Accepts a seq or an event id. */
export async function seqOf(context: Context<"store">, cursor: string | number | undefined): Promise<number> {
  if (cursor === undefined) return 0;
  if (cursor === "now") return context.services.store.lastSeq();
  const position = typeof cursor === "number" ? cursor : /^\d+$/.test(cursor) ? Number(cursor) : null;
  if (position !== null) return position;
  const event = await context.services.store.event(String(cursor));
  if (event === null) throw new NomosError("event_not_found", { after: cursor });
  return event.seq;
}

/** The seq of the first event that is not older. By halving: clocks of writers hardly ever go back, and an event's place never does. */
export async function firstSince(store: Store, time: string): Promise<number> {
  const wanted = Date.parse(time);
  let [low, high] = [1, (await store.lastSeq()) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [event] = (await store.readAll({ after: middle - 1, before: middle + 1, limit: 1 })).events;
    if (event !== undefined && Date.parse(event.at) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
