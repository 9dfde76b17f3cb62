import { z } from "zod";
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

/** What the doctor says of the log's evidence outside of the home. */
export const EvidenceStatus = z.object({
  anchors: z.array(AnchorWire).describe("where checkpoints are anchored, and what is wrong there"),
  compared: z
    .object({
      at: z.string(),
      size: z.number().int().describe("how many events were restored"),
      newerSize: z.number().int().nullable().describe("how many an anchor remembered, where that is more"),
      isContradicted: z.boolean().describe("an anchor remembered other events, and a person went on"),
      unreachable: z.number().int().describe("anchors that gave no answer"),
    })
    .nullable()
    .describe("what anchors knew when this log was last restored; null when no restore asked one"),
});

export async function evidenceStatus({
  audit,
  store,
}: Pick<Services, "audit" | "store">): Promise<z.input<typeof EvidenceStatus>> {
  const compared = (await store.row(SYSTEM, SYSTEM_STREAM))?.compared ?? null;
  return { anchors: [...audit.anchors()], compared };
}

/** One that cannot be reached is tried again; one that remembers another log is a finding. */
export function areAgreed(anchors: readonly Pick<AnchorStatus, "problem">[]): boolean {
  return anchors.every(({ problem }) => problem?.code !== "anchor_disagrees");
}
