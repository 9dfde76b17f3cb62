import * as z from "zod";
import type { FollowerState } from "../../commit/index.ts";

/** The state of one follower of the log, such as search or the tree. */
export const FollowerStatus = z.object({
  name: z.string(),
  state: z.enum(["following", "failing"]).describe("for its lag see the metrics"),
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
