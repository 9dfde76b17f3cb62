import type { LogEvent } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { type AskedQuestion, askedQuestion } from "../questions/question-facts.ts";

/** The open questions of a session, in the order they were asked. */
export interface OpenQuestions {
  readonly hear: (event: LogEvent) => void;
  readonly first: () => AskedQuestion | null;
  readonly has: (id: string) => boolean;
}

export function createOpenQuestions(): OpenQuestions {
  const open = new Map<string, AskedQuestion>();
  return {
    hear: ({ type, data }) => {
      const id = String(memberOf(data, "approvalId"));
      if (type === "approval.requested@1") open.set(id, askedQuestion(data));
      if (type === "approval.answered@1" || type === "approval.closed@1") open.delete(id);
    },
    first: () => open.values().next().value ?? null,
    has: (id) => open.has(id),
  };
}
