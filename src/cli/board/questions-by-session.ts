import type { Approval, LogEvent } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { type AskedQuestion, askedQuestion } from "../questions/question-facts.ts";

/** The open questions of every session, oldest first. */
export interface QuestionsBySession {
  readonly of: (sessionId: string) => readonly AskedQuestion[];
  readonly replace: (pending: readonly Approval[]) => void;
  readonly hear: (sessionId: string, event: LogEvent) => void;
}

export function createQuestionsBySession(): QuestionsBySession {
  const open = new Map<string, readonly AskedQuestion[]>();
  const of = (sessionId: string): readonly AskedQuestion[] => open.get(sessionId) ?? [];
  const without = (sessionId: string, id: string): readonly AskedQuestion[] =>
    of(sessionId).filter((question) => question.id !== id);
  const add = (sessionId: string, question: AskedQuestion): void =>
    void open.set(sessionId, [...without(sessionId, question.id), question]);
  return {
    of,
    replace: (pending) => {
      open.clear();
      for (const approval of pending) add(approval.sessionId, askedQuestion(approval));
    },
    hear: (sessionId, { type, data }) => {
      if (type === "approval.requested@1") add(sessionId, askedQuestion(data));
      if (type === "approval.answered@1" || type === "approval.closed@1")
        open.set(sessionId, without(sessionId, String(memberOf(data, "approvalId"))));
    },
  };
}
