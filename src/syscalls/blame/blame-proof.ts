import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import type { ExplainedLine } from "../../services/index.ts";
import { EventProof, eventProof } from "../audit/event-proof.ts";
import type { Context } from "../define.ts";

const FORMAT = "nomos-blame-proof/1";
/** More would not fit into an answer. */
const BLOB_CHARS_MAX = 33_554_432;
const EVENTS_MAX = 2000;

/** All that `nomos-verify blame` needs. Every member is checked, so nothing is in it that nothing vouches for. */
export const BlameProof = z.object({
  format: z.literal(FORMAT),
  key: z.string().describe("the log's verifier key"),
  lines: z.array(
    z.object({
      line: z.number().int(),
      bytes: z.string().describe("the line in base64, without its end"),
      sessionId: z.string(),
      turnId: z.string(),
      eventId: z.string(),
      agent: z.string(),
      model: z.string().nullable(),
      approver: z.string().nullable(),
      landedEventId: z.string(),
    }),
  ),
  events: z.array(EventProof),
  blobs: z.array(z.object({ sha256: z.string(), text: z.string() })).describe("the lines as they were recorded"),
});

export async function blameProof(
  context: Context<"audit" | "blame" | "secrets" | "store">,
  lines: readonly ExplainedLine[],
): Promise<z.input<typeof BlameProof>> {
  const { blame, audit } = context.services;
  const parts = await blame.proofOf(lines);
  const chars = parts.blobs.reduce((sum, { text }) => sum + text.length, 0);
  if (chars > BLOB_CHARS_MAX || parts.eventIds.length > EVENTS_MAX)
    throw new NomosError("payload_too_large", { reason: "ask for fewer lines with `lines`", maxBytes: BLOB_CHARS_MAX });
  const events: z.input<typeof EventProof>[] = [];
  for (const id of parts.eventIds) events.push(await eventProof(context, id));
  return {
    format: FORMAT,
    key: audit.key,
    lines: parts.lines.map((line) => ({ ...line })),
    events,
    blobs: parts.blobs.map((blob) => ({ ...blob })),
  };
}
