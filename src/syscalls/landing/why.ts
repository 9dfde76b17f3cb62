import * as z from "zod";
import { read, type Syscall } from "../define.ts";
import { WhyWire, whyWire } from "../session/tree/why.ts";

export const landingWhy: Syscall = read({
  name: "landing.why",
  summary: "Explain where a landing is: the events that led there, and the next command",
  permission: "landing.read",
  roles: ["viewer"],
  needs: ["why"],
  about: (input) => `landing/${String(input["id"])}`,
  names: { id: "landing" },
  input: z.object({ id: z.string().min(1).max(200).describe("a landing's id or the beginning of it, or its session") }),
  output: WhyWire,
  errors: ["landing_not_found", "session_not_found", "ambiguous_id"],
  http: { method: "GET", path: "/api/landings/:id/why" },
  cli: { positional: ["id"], says: ["{input.id} is {state}.", "Next: {next}"], rows: "because" },
  answer: async ({ services }, { id }) => whyWire(await services.why.landing(id)),
});
