import * as z from "zod";
import { SessionId } from "../../../contract/index.ts";
import { read, type Syscall } from "../../define.ts";
import { Figures, figures } from "../../work/wire.ts";

export const sessionDrift: Syscall = read({
  name: "session.drift",
  summary: "Measure how far a session's changes are from what its ticket allows, as its files are now",
  permission: "session.read",
  roles: ["viewer", "session", "below"],
  needs: ["works"],
  heavy: true,
  about: "session",
  input: z.object({ id: SessionId }),
  output: Figures.omit({ files: true }).extend({
    files: z.array(z.object({ path: z.string(), inScope: z.boolean() })),
  }),
  errors: [
    "session_not_found",
    "work_not_found",
    "not_governed",
    "governance_invalid",
    "ticket_not_found",
    "overloaded",
  ],
  http: { method: "GET", path: "/sessions/:id/drift" },
  cli: {
    positional: ["id"],
    says: [["score", 0, "Nothing was changed."], "Drift is {score}."],
    rows: "files",
  },
  mcp: { toolsets: ["on-ticket"] },
  answer: async ({ services: { works } }, { id }) => {
    const measured = await works.drift(id);
    const { files: _count, ...rest } = figures(measured);
    return { ...rest, files: measured.paths.map(({ path, inScope }) => ({ path, inScope })) };
  },
});
