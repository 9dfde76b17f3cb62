import type { Fact } from "../../kernel/index.ts";
import type { Reply } from "../questions.ts";

/** The reason of a question that was answered by the clock. */
export const NOBODY_IN_TIME = "nobody answered in time";

/** If the fact is an answer: which, and to which question; otherwise null. */
export function replyIn(fact: Fact): { readonly approvalId: string; readonly reply: Reply } | null {
  switch (fact.type) {
    case "approval.closed@1":
      return { approvalId: fact.data.approvalId, reply: { approved: false, reason: fact.data.status } };
    case "approval.answered@1": {
      const { approvalId, status, option, reason } = fact.data;
      if (status === "approved") return { approvalId, reply: { approved: true, option } };
      const isSaid = reason !== null && reason !== NOBODY_IN_TIME;
      return { approvalId, reply: { approved: false, reason, ...(isSaid ? { isSaid } : {}) } };
    }
    default:
      return null;
  }
}
