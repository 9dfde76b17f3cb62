import type { Client, LogEvent } from "../../client/index.ts";
import { memberOf } from "../print/member-of.ts";

/** The question that a session waits on: `y`, `n` or one of its options is an answer and not a prompt. */
export interface PendingQuestion {
  readonly hear: (event: LogEvent) => void;
  /** Null when this is no answer, or nothing was asked. */
  readonly answer: (line: string) => (() => Promise<void>) | null;
}

const YES: readonly string[] = ["y", "yes"];
const NO: readonly string[] = ["n", "no"];

export function createPendingQuestion(client: Client): PendingQuestion {
  const pending = new Map<string, readonly string[]>();
  return {
    hear: ({ type, data }) => {
      const id = String(memberOf(data, "approvalId"));
      const options = memberOf(data, "options");
      if (type === "approval.requested@1") pending.set(id, Array.isArray(options) ? options.map(String) : []);
      if (type === "approval.answered@1" || type === "approval.closed@1") pending.delete(id);
    },
    answer: (line) => {
      const [first] = pending;
      if (first === undefined) return null;
      const [approvalId, options] = first;
      const word = line.toLowerCase();
      const reject = async () => void (await client.call("approval.reject", { approvalId }));
      const approve = (option?: string) => async () =>
        void (await client.call("approval.approve", { approvalId, ...(option === undefined ? {} : { option }) }));
      if (NO.includes(word)) return reject;
      const option = options.find((one) => one.toLowerCase() === word);
      if (option !== undefined) return approve(option);
      return YES.includes(word) ? approve() : null;
    },
  };
}
