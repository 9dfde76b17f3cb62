import * as z from "zod";
import { ApprovalWire, approvalWire, NomosError, SessionId } from "../../contract/index.ts";
import { APPROVALS, LIMITS } from "../../kernel/index.ts";
import { type Context, read, type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";

const APPROVALS_MAX = 1000;
const DETAILS_CHARS_MAX = 4_194_304;
const aboutIt = (input: Record<string, unknown>) => `approval/${String(input["approvalId"])}`;
const byApproval = z.object({
  approvalId: z
    .string()
    .min(1)
    .max(LIMITS.titleChars)
    .describe("its id, the beginning of it, or its session if that has one open question"),
});

export const approval: readonly Syscall[] = [
  read({
    name: "approval.list",
    summary: "List the questions put to a person",
    permission: "approval.read",
    roles: ["viewer"],
    needs: ["store"],
    about: "system",
    names: { sessionId: "session" },
    input: z.object({ status: z.enum(["pending", "all"]).optional(), sessionId: SessionId.optional() }),
    output: z.object({ approvals: z.array(ApprovalWire) }),
    errors: ["session_not_found", "ambiguous_id"],
    http: { method: "GET", path: "/api/approvals" },
    cli: { positional: [] },
    mcp: { toolsets: ["core"] },
    answer: async ({ services }, { status, sessionId }) => {
      const where = sessionId === undefined ? {} : { session: sessionId };
      const limit = APPROVALS_MAX;
      const pending = await services.store.rows(APPROVALS, { limit, where: { ...where, status: "pending" } });
      const others = status === "pending" ? [] : await services.store.rows(APPROVALS, { limit, where });
      // Pending approvals are always listed, however many were answered since.
      const rows = new Map([...others, ...pending].map((row) => [row.id, row]));
      return { approvals: withinLimit([...rows.values()].map(approvalWire)) };
    },
  }),
  read({
    name: "approval.show",
    summary: "Show a question, with all that it is about",
    permission: "approval.read",
    roles: ["viewer"],
    needs: ["store"],
    about: aboutIt,
    names: { approvalId: "approval" },
    input: byApproval,
    output: ApprovalWire,
    errors: ["approval_not_found", "ambiguous_id"],
    http: { method: "GET", path: "/api/approvals/:approvalId" },
    cli: { positional: ["approvalId"] },
    mcp: { toolsets: ["core"] },
    answer: (context, { approvalId }) => showApproval(context, approvalId),
  }),
  write({
    name: "approval.approve",
    summary: "Approve a question: once, unless the option says otherwise",
    permission: "approval.answer",
    roles: [],
    needs: ["store", "supervisor"],
    about: aboutIt,
    names: { approvalId: "approval" },
    input: byApproval.extend({
      option: z.string().max(4000).optional().describe("one of the options; if the question has none, your own words"),
    }),
    output: ApprovalWire,
    errors: ["approval_not_found", "ambiguous_id", "already_answered", "invalid_option"],
    http: { method: "POST", path: "/api/approvals/:approvalId/approve" },
    cli: {
      positional: ["approvalId", "option"],
      short: "approve",
      says: ["Approved: {question}", "Next: nomos logs -f {sessionId}"],
    },
    mcp: { toolsets: ["core"] },
    commit: (context, { approvalId, option }) =>
      context.services.supervisor.answer(approvalId, { status: "approved", option: option ?? null }, byOf(context)),
    answer: (context, { approvalId }) => showApproval(context, approvalId),
  }),
  write({
    name: "approval.reject",
    summary: "Reject a question",
    permission: "approval.answer",
    roles: [],
    needs: ["store", "supervisor"],
    about: aboutIt,
    names: { approvalId: "approval" },
    input: byApproval.extend({ reason: z.string().max(500).optional() }),
    output: ApprovalWire,
    errors: ["approval_not_found", "ambiguous_id", "already_answered"],
    http: { method: "POST", path: "/api/approvals/:approvalId/reject" },
    cli: {
      positional: ["approvalId", "reason"],
      short: "reject",
      says: ["Rejected: {question}", "Next: nomos logs -f {sessionId}"],
    },
    mcp: { toolsets: ["core"] },
    commit: (context, { approvalId, reason }) =>
      context.services.supervisor.answer(approvalId, { status: "rejected", reason: reason ?? null }, byOf(context)),
    answer: (context, { approvalId }) => showApproval(context, approvalId),
  }),
];

/** Details are large: a list leaves those out that come after a few megabytes of them. */
function withinLimit(approvals: readonly ApprovalWire[]): ApprovalWire[] {
  let chars = 0;
  return approvals.map((one) => {
    chars += one.detail === undefined ? 0 : JSON.stringify(one.detail).length;
    const { detail: _large, ...rest } = one;
    return chars > DETAILS_CHARS_MAX ? rest : one;
  });
}

async function showApproval(context: Context<"store">, approvalId: string): Promise<ApprovalWire> {
  const row = await context.services.store.row(APPROVALS, approvalId);
  if (row === null) throw new NomosError("approval_not_found", { approvalId });
  return approvalWire(row);
}
