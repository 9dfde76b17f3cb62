import type { Fact } from "../../kernel/index.ts";
import type { Reply } from "../questions.ts";

/** If the fact is an answer: which, and to which question; otherwise null. */
export function replyIn(fact: Fact): { readonly approvalId: string; readonly reply: Reply } | null {
  switch (fact.type) {
    case "approval.closed@1":
      return { approvalId: fact.data.approvalId, reply: { approved: false, reason: fact.data.status } };
    case "approval.answered@1": {
      const { approvalId, status, option, reason } = fact.data;
      return { approvalId, reply: status === "approved" ? { approved: true, option } : { approved: false, reason } };
    }
    default:
      return null;
  }
}
