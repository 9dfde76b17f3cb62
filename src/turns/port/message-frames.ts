import type { DriverFact } from "../../kernel/index.ts";
import type { RedactedStream, Redactor } from "../../redaction/index.ts";

type Role = "assistant" | "thought";
type Source = "message" | "thought";

/** Text of messages and thoughts on its way to watchers, without secrets. */
export interface MessageFrames {
  readonly push: (text: string, of?: Source) => void;
  /** The message is complete: what was held back of it is shown. */
  readonly end: (role: Role) => void;
  /** The same where one of these facts completes a message. */
  readonly endWith: (facts: readonly DriverFact[]) => void;
}

export function createMessageFrames(
  redactor: Pick<Redactor, "stream">,
  frame: (source: Source, text: string) => void,
): MessageFrames {
  const streams: Record<Source, RedactedStream> = { message: redactor.stream(), thought: redactor.stream() };
  const show = (source: Source, text: string): void => {
    if (text !== "") frame(source, text);
  };
  const end = (role: Role): void => {
    const source = role === "assistant" ? "message" : "thought";
    show(source, streams[source].end());
    streams[source] = redactor.stream();
  };
  return {
    push: (text, of = "message") => show(of, streams[of].push(text)),
    end,
    endWith: (facts) => {
      for (const { type, data } of facts) if (type === "message.completed@1") end(data.role);
    },
  };
}
