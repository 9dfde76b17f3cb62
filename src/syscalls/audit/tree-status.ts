import * as z from "zod";
import type { Services } from "../services.ts";
import { AnchorWire } from "./anchor-status.ts";

/** The lag of the tree, the last signed checkpoint, and the anchors that hold it. */
export const TreeStatus = z.object({
  size: z.number().int(),
  lag: z.number().int().describe("how many events the tree is behind the log"),
  checkpointSize: z.number().int().nullable(),
  checkpointAt: z.string().nullable(),
  problem: z.string().nullable().describe("why the tree or its checkpoint could not be written; Nomos tries again"),
  anchors: z.array(AnchorWire),
});

export function treeStatus(
  { audit: { tree, checkpoints, anchors }, followers }: Pick<Services, "audit" | "followers">,
  events: number,
): z.input<typeof TreeStatus> {
  const following = followers.states().find(({ name }) => name === checkpoints.follower.name);
  const { size } = tree.head();
  const latest = checkpoints.latest();
  return {
    size,
    lag: Math.max(0, events - size),
    checkpointSize: latest?.size ?? null,
    checkpointAt: latest === null ? null : new Date(latest.signedAtMs).toISOString(),
    problem: following?.failure?.message ?? null,
    anchors: [...anchors()],
  };
}
