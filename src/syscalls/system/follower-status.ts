import { z } from "zod";
import type { FollowerState } from "../../commit/index.ts";

/** What runs behind the log: search, the tree, and whatever else is made out of it. */
export const FollowerStatus = z.object({
  name: z.string(),
  state: z.enum(["following", "failing"]).describe("the metrics say how far it is behind"),
  failure: z
    .object({
      code: z.string(),
      message: z.string(),
      remedy: z.string(),
      since: z.string().describe("time of the first failure since it last worked"),
      tries: z.number().int(),
      nextTryAt: z.string(),
    })
    .nullable(),
});

export function followerStatus(states: readonly FollowerState[]): z.input<typeof FollowerStatus>[] {
  return states.map(({ name, failure }) => ({ name, state: failure === null ? "following" : "failing", failure }));
}
