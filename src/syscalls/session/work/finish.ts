import * as z from "zod";
import { NomosError, SessionId, SessionWire } from "../../../contract/index.ts";
import { type Context, type Syscall, write } from "../../define.ts";
import { WorkWire, workWire } from "../../work/wire.ts";
import { byOf, showSession } from "../answer.ts";

const TEXT_CHARS_MAX = 16_000;
const Text = z.string().trim().min(1).max(TEXT_CHARS_MAX);

const Answer = SessionWire.extend({
  work: WorkWire.optional().describe("of a session on a ticket"),
  asked: z.boolean().optional().describe("true: it happens when the running turn has ended"),
});

const ERRORS = [
  ...([
    "session_not_found",
    "work_not_found",
    "work_over",
    "work_suspended",
    "not_governed",
    "governance_invalid",
  ] as const),
  ...(["lease_lost", "quota_exceeded", "disk_low"] as const),
];

/** Ends the work of a session on its ticket; the session goes on living. Of an external agent it ends the session. */
export const sessionWork: readonly Syscall[] = [
  write({
    name: "session.finish",
    summary: "Finish a session's work on its ticket, or report that an external agent's session has ended",
    permission: "session.report",
    roles: ["session"],
    needs: ["bounds", "store", "supervisor", "works"],
    about: "session",
    input: z.object({
      id: SessionId,
      summary: z.string().trim().max(TEXT_CHARS_MAX).optional().describe("on a ticket: what was done"),
      status: z
        .enum(["keep", "review", "done"])
        .optional()
        .describe("of the ticket; default: `review`. `keep` keeps it and the lease, `done` needs proof"),
      next: Text.optional().describe("what is left to do"),
      skipChecks: z.boolean().optional().describe("recorded with its reason; proves nothing"),
      reason: Text.optional().describe("why checks are skipped"),
      exitCode: z.number().int().optional().describe("of an external agent"),
      error: z.string().min(1).max(8000).optional().describe("the last error, if an external agent failed"),
    }),
    output: Answer,
    errors: [
      ...ERRORS,
      ...(["reason_required", "checks_failed", "unproven", "session_busy", "worktree_missing"] as const),
      ...(["worktree_not_found", "git_failed", "git_missing", "branch_not_found", "repository_invalid"] as const),
      ...(["tree_too_large", "overloaded", "landing_exists"] as const),
    ],
    http: { method: "POST", path: "/sessions/:id/finish" },
    cli: {
      positional: ["id", "summary"],
      says: [
        [
          ["asked", true, "{work.ticket} is finished when the running turn has ended."],
          ["work.state", "finished", "Finished {work.ticket} ({work.status}). Checks: {work.checks}."],
          ["work.state", "active", "Left a memento of {work.ticket}; {name} keeps it. Checks: {work.checks}."],
          ["state", "exited", "{name} has ended. Its transcript is kept."],
          ["state", "error", "{name} has ended with an error. Its transcript is kept."],
        ],
        "Memento: {work.memento}",
        "Next: nomos land {name}",
      ],
    },
    mcp: { toolsets: ["on-ticket"] },
    commit: async (context, { id, summary, status = "review", next, skipChecks = false, reason, exitCode, error }) => {
      const { supervisor, works } = context.services;
      if (summary === undefined && (await works.find(id)) === null)
        return supervisor.finish(id, { exitCode: exitCode ?? null, error: error ?? null }, byOf(context));
      if (summary === undefined || summary === "") throw new NomosError("summary_required", { id });
      const wish = { summary, status, skipChecks, next: next ?? null, reason: reason ?? null };
      return works.finish(id, wish, byOf(context), context.signal);
    },
    answer: async (context, { id }, events) =>
      answered(
        context,
        id,
        events.some(({ type }) => type === "work.asked@1"),
      ),
  }),
  write({
    name: "session.handover",
    summary: "Hand a session's work on its ticket to another agent: one act, which its receiver is told of first",
    permission: "session.report",
    roles: ["session"],
    needs: ["agents", "bounds", "store", "works"],
    about: "session",
    input: z.object({
      id: SessionId,
      to: z.string().min(1).max(200).optional().describe("the agent that receives it; default: whoever starts next"),
      summary: z.string().trim().max(TEXT_CHARS_MAX).describe("where the work stands"),
      reason: Text.optional(),
      next: Text.optional().describe("what is left to do"),
    }),
    missing: { summary: "summary_required" },
    output: Answer,
    errors: [...ERRORS, "summary_required", "agent_not_found"],
    http: { method: "POST", path: "/sessions/:id/handoff" },
    cli: {
      positional: ["id", "summary"],
      says: ["Handed {work.ticket} over.", "Next: nomos run --ticket {work.ticket}"],
    },
    mcp: { toolsets: ["on-ticket"] },
    commit: async (context, { id, to, summary, reason, next }) => {
      if (summary === "") throw new NomosError("summary_required", { id });
      if (to !== undefined && (await context.services.agents.find(to)) === null)
        throw new NomosError("agent_not_found", { slug: to });
      const wish = { summary, to: to ?? null, reason: reason ?? null, next: next ?? null };
      return context.services.works.handOver(id, wish, byOf(context));
    },
    answer: async (context, { id }) => answered(context, id, false),
  }),
];

async function answered(
  context: Context<"bounds" | "store" | "works">,
  id: string,
  asked: boolean,
): Promise<z.input<typeof Answer>> {
  const { works } = context.services;
  if (!asked) await works.settle(id);
  const row = await works.find(id);
  const session = await showSession(context, id);
  return { ...session, ...(row === null ? {} : { work: workWire(row) }), ...(asked ? { asked } : {}) };
}
