import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { hex } from "../../domains/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";

/** The bytes that were hashed: with them a client computes the leaf itself. */
export const StoredEvent = z
  .object({
    prev: z.string(),
    header: z.string().describe("the text that was hashed"),
    hash: z.string(),
    salt: z.string().nullable().describe("null: the data was erased"),
    data: z.string().nullable().describe("in base64; null: erased"),
  })
  .describe("the event as stored, as in a line of an export: enough to compute its hash and its leaf");

export async function storedEvent(
  store: Pick<Store, "rawStream">,
  { id, stream, version }: Pick<RecordedEvent, "id" | "stream" | "version">,
): Promise<z.input<typeof StoredEvent>> {
  const [raw] = await store.rawStream(stream, version - 1, 1);
  if (raw === undefined) throw new NomosError("event_not_found", { eventId: id });
  return {
    prev: hex(raw.prev),
    header: Buffer.from(raw.header).toString("utf8"),
    hash: hex(raw.hash),
    salt: raw.salt === null ? null : hex(raw.salt),
    data: raw.data === null ? null : Buffer.from(raw.data).toString("base64"),
  };
}
