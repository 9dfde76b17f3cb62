import * as z from "zod";

export const byId = z.object({
  id: z.string().min(1).max(200).describe("a fan-out's name or id, or the beginning of either"),
});
/** A candidate: its session or its agent. */
export const Who = z.string().min(1).max(200);
export const about = (input: Record<string, unknown>): string => `fan-out/${String(input["id"])}`;
export const names = { id: "fan-out" } as const;
export const MISSING = ["fanout_not_found", "ambiguous_id"] as const;

export function whoIs({ sessionId, name, agent }: { sessionId: string; name?: string | undefined; agent: string }) {
  return { sessionId, agent, ...(name === undefined ? {} : { name }) };
}
