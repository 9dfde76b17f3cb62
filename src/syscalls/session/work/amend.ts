import * as z from "zod";
import { SessionId } from "../../../contract/index.ts";
import { type Syscall, write } from "../../define.ts";
import { byOf } from "../answer.ts";

const PATHS_MAX = 20;
const PATH_CHARS_MAX = 800;
const REASON_CHARS_MAX = 2000;

/** For an agent whose walls refuse a write: nobody hears of what a shell may not do. */
export const sessionAmend: Syscall = write({
  name: "session.amend",
  summary: "Ask a person to let a session change files outside of its ticket's scope, from its next turn on",
  permission: "session.ask",
  roles: ["session"],
  needs: ["works"],
  about: "session",
  input: z.object({
    id: SessionId,
    paths: z
      .array(z.string().min(1).max(PATH_CHARS_MAX))
      .min(1)
      .max(PATHS_MAX)
      .describe("files below the worktree's root, no patterns"),
    reason: z.string().trim().min(1).max(REASON_CHARS_MAX).describe("why the work needs them"),
  }),
  output: z.object({
    status: z.enum(["pending", "allowed"]).describe("`allowed`: it may change them already, nobody is asked"),
    approvalId: z.string().optional(),
    paths: z.array(z.string()),
  }),
  errors: [
    ...(["session_not_found", "work_not_found", "work_over", "work_suspended", "not_governed"] as const),
    ...(["governance_invalid", "lease_lost", "path_invalid", "turn_not_running", "queue_full"] as const),
    ...(["quota_exceeded", "disk_low"] as const),
  ],
  http: { method: "POST", path: "/sessions/:id/amend" },
  cli: {
    positional: ["id", "paths"],
    says: [
      ["status", "pending", "Asked. A yes holds from the next turn on."],
      ["status", "allowed", "Nobody was asked: the session may change them already."],
      ["status", "pending", "Next: nomos approve {approvalId}"],
    ],
  },
  mcp: { toolsets: ["on-ticket"] },
  commit: (context, { id, paths, reason }) => context.services.works.amend(id, { paths, reason }, byOf(context)),
  answer: async ({ services: { works } }, { id, paths }) => {
    const approvalId = await works.amendment(id, paths);
    return approvalId === null
      ? { status: "allowed" as const, paths }
      : { status: "pending" as const, approvalId, paths };
  },
});
