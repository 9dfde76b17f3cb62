import { type Client, ClientError, type LogEvent } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";

/** The open question of a session. `y`, `n` or one of its options answers it; any other text is a prompt. */
export interface PendingQuestion {
  readonly hear: (event: LogEvent) => void;
  /** Null when the text is not an answer or no question is open. */
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
      const option = options.find((one) => one.toLowerCase() === word);
      const answers = [...YES, ...NO, ...[...pending.values()].flat().map((one) => one.toLowerCase())];
      if (pending.size > 1 && answers.includes(word)) return async () => Promise.reject(whichOne([...pending.keys()]));
      if (NO.includes(word)) return reject;
      if (option !== undefined) return approve(option);
      return YES.includes(word) ? approve() : null;
    },
  };
}

/** A bare word could be a prompt or an answer to a question that appeared a moment ago. */
function whichOne(ids: readonly string[]): ClientError {
  const message = `${ids.length} questions wait.`;
  const remedy = `Answer each by its id: ${ids.map((id) => `\`nomos approve ${id}\``).join(", ")}, or \`nomos reject\`.`;
  return new ClientError("ambiguous_id", { message, remedy });
}
