import * as z from "zod";
import { SessionId } from "../../contract/index.ts";
import { read, type Syscall } from "../define.ts";

export const sessionDelegates: Syscall = read({
  name: "session.delegates",
  summary: "List the agents a session may start, and why the others are refused",
  permission: "session.read",
  roles: ["viewer", "session", "below"],
  needs: ["delegation"],
  about: "session",
  input: z.object({ id: SessionId }),
  output: z.object({
    id: z.string(),
    ground: z.string(),
    delegates: z.array(z.string()),
    depth: z.number().int(),
    depthMax: z.number().int(),
    children: z.number().int(),
    childrenMax: z.number().int(),
    agents: z.array(
      z.object({ slug: z.string(), driver: z.string(), allowed: z.boolean(), code: z.string().nullable() }),
    ),
  }),
  errors: ["session_not_found"],
  http: { method: "GET", path: "/sessions/:id/delegates" },
  cli: { positional: ["id"] },
  mcp: { toolsets: ["inside"] },
  answer: async (context, { id }) => {
    const { delegates, agents, ...rest } = await context.services.delegation.outlook(id);
    return { ...rest, delegates: [...delegates], agents: [...agents] };
  },
});
