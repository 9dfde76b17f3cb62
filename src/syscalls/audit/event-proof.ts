import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { hex, leafHash } from "../../domains/index.ts";
import type { Context } from "../define.ts";
import { eventsFor } from "../secret/hidden-events.ts";
import { StoredEvent, storedEvent } from "./stored-event.ts";

export const Hashes = z.array(z.string()).describe("in hex, in the order of RFC 6962");

/** An event with the path to the root of the tree that a checkpoint signs. */
export const EventProof = z.object({
  eventId: z.string(),
  seq: z.number().int(),
  leafIndex: z.number().int(),
  size: z.number().int(),
  leafHash: z.string(),
  hashes: Hashes,
  root: z.string(),
  checkpoint: z.string(),
  event: StoredEvent,
});

export async function eventProof(
  context: Context<"audit" | "secrets" | "store">,
  eventId: string,
): Promise<z.input<typeof EventProof>> {
  const { services } = context;
  const event = await services.store.event(eventId);
  if (event === null) throw new NomosError("event_not_found", { eventId });
  const stored = await storedEvent(services.store, event);
  const { note, size, root } = await services.audit.checkpoints.reach(event.seq);
  const leafIndex = event.seq - 1;
  return {
    eventId,
    seq: event.seq,
    leafIndex,
    size,
    leafHash: hex(leafHash(services.audit.sha256, Buffer.from(event.hash, "hex"))),
    hashes: (await services.audit.tree.inclusion(leafIndex, size)).map(hex),
    root: hex(root),
    checkpoint: note,
    event: (await eventsFor(context)).isHidden(event.stream) ? { ...stored, salt: null, data: null } : stored,
  };
}
