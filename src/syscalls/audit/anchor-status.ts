import * as z from "zod";
import { SYSTEM, SYSTEM_STREAM } from "../../domains/index.ts";
import type { AnchorStatus } from "../../services/index.ts";
import type { Services } from "../services.ts";

export const AnchorWire = z.object({
  kind: z.enum(["git", "witness"]),
  where: z.string(),
  size: z.number().int().nullable(),
  at: z.string().nullable(),
  problem: z.object({ code: z.string(), message: z.string() }).nullable(),
});

/** The doctor's report on anchors: evidence of the log outside the home. */
export const EvidenceStatus = z.object({
  anchors: z.array(AnchorWire).describe("the anchors of checkpoints, and their problems"),
  compared: z
    .object({
      at: z.string(),
      size: z.number().int().describe("how many events were restored"),
      newerSize: z.number().int().nullable().describe("how many events an anchor had seen, if more than were restored"),
      isContradicted: z.boolean().describe("an anchor had seen other events, and a person restored anyway"),
      unreachable: z.number().int().describe("anchors that gave no answer"),
    })
    .nullable()
    .describe("what the anchors answered when this log was last restored; null when no restore asked one"),
});

export async function evidenceStatus({
  audit,
  store,
}: Pick<Services, "audit" | "store">): Promise<z.input<typeof EvidenceStatus>> {
  const compared = (await store.row(SYSTEM, SYSTEM_STREAM))?.compared ?? null;
  return { anchors: [...audit.anchors()], compared };
}

/** An unreachable anchor is tried again and is no fault; one that holds another log is. */
export function areAgreed(anchors: readonly Pick<AnchorStatus, "problem">[]): boolean {
  return anchors.every(({ problem }) => problem?.code !== "anchor_disagrees");
}
