import * as z from "zod";
import { SessionId } from "../../../contract/index.ts";
import type { Why } from "../../../services/index.ts";
import { read, type Syscall } from "../../define.ts";
import { sessionRowOf } from "../answer.ts";

export const WhyWire = z.object({
  state: z.string(),
  because: z
    .array(z.object({ seq: z.number().int(), id: z.string(), type: z.string(), at: z.string(), says: z.string() }))
    .describe("the events that led there, oldest first, at most 20"),
  next: z.string().nullable().describe("the command to run next"),
});

export const sessionWhy: Syscall = read({
  name: "session.why",
  summary: "Explain where a session is: the events that led there, and the next command",
  permission: "session.read",
  roles: ["viewer", "session", "below"],
  needs: ["store", "why"],
  about: "session",
  input: z.object({ id: SessionId }),
  output: WhyWire,
  errors: ["session_not_found", "ambiguous_id"],
  http: { method: "GET", path: "/sessions/:id/why" },
  cli: { positional: ["id"], short: "why", says: ["{input.id} is {state}.", "Next: {next}"], rows: "because" },
  answer: async (context, { id }) => {
    await sessionRowOf(context, id);
    return whyWire(await context.services.why.session(id));
  },
});

export function whyWire({ state, because, next }: Why): z.input<typeof WhyWire> {
  return { state, because: because.map((one) => ({ ...one })), next };
}
