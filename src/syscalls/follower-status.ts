import { z } from "zod";
import type { FollowerState } from "../commit/index.ts";

/** What runs behind the log: search, the tree, and whatever else is made out of it. */
export const FollowerStatus = z.object({
  name: z.string(),
  position: z.number().int().describe("the last event it has taken in"),
  lag: z.number().int().describe("how many events it is behind the log"),
  state: z.enum(["following", "behind", "failing"]),
  failure: z
    .object({
      code: z.string(),
      message: z.string(),
      remedy: z.string(),
      since: z.string().describe("when it failed first since it last worked"),
      tries: z.number().int(),
      nextTryAt: z.string(),
    })
    .nullable(),
});

export function followerStatus(states: readonly FollowerState[]): z.input<typeof FollowerStatus>[] {
  return states.map((state) => ({ ...state }));
}
