import * as z from "zod";
import { read, type Syscall } from "../define.ts";

/** The version of the AIP-46 text, published by agentproto. */
const AIP46_TEXT = "2026-07-17";

/** What we conform to. `case` is a case of `nomos conformance aip46`. */
const AIP46 = {
  text: AIP46_TEXT,
  delegation: true,
  buckets: true,
  mcp: "/mcp",
  sessions: "/sessions",
  deviations: [
    {
      case: 19,
      what: "A host that stops puts its sessions to sleep instead of killing them: they stay `running`, and the next prompt wakes them.",
    },
  ],
  inapplicable: [{ case: 34, what: "There never was a store that pooled the sessions of all workspaces." }],
};

export const systemConformance: Syscall = read({
  name: "system.conformance",
  summary: "List the protocols this daemon implements and where it deviates from them",
  permission: "system.read",
  roles: ["viewer"],
  needs: [],
  about: "system",
  input: z.object({}),
  output: z.object({
    aip46: z.object({
      text: z.string(),
      delegation: z.boolean(),
      buckets: z.boolean(),
      mcp: z.string(),
      sessions: z.string(),
      deviations: z.array(z.object({ case: z.number().int(), what: z.string() })),
      inapplicable: z.array(z.object({ case: z.number().int(), what: z.string() })),
    }),
  }),
  errors: [],
  http: { method: "GET", path: "/api/conformance" },
  cli: { positional: [] },
  answer: async () => ({ aip46: AIP46 }),
});
