import { z } from "zod";
import type { Services } from "../services.ts";

/** How far the tree has come behind the log, what was signed last, and who else remembers that. */
export const TreeStatus = z.object({
  size: z.number().int(),
  lag: z.number().int().describe("how many events the tree is behind the log"),
  checkpointSize: z.number().int().nullable(),
  checkpointAt: z.string().nullable(),
  problem: z.string().nullable().describe("why the tree or its checkpoint could not be written; Nomos tries again"),
  anchors: z.array(
    z.object({
      kind: z.enum(["git", "witness"]),
      where: z.string(),
      size: z.number().int().nullable(),
      at: z.string().nullable(),
      problem: z.object({ code: z.string(), message: z.string() }).nullable(),
    }),
  ),
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
