import { memberOf } from "../kernel/index.ts";
import type { StreamItem } from "./stream-items.ts";
import type { Session } from "./types.generated.ts";

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Called for every item of the stream, such as an `approval.requested` event to answer. */
  readonly onItem?: (item: StreamItem) => void;
}

export interface Ran {
  /** As it was after the turn. */
  readonly session: Session;
  /** `completed`, `failed`, `interrupted`; null when the session ended before its turn did. */
  readonly outcome: string | null;
  /** What the agent wrote to its output, line by line. */
  readonly text: string;
}

interface Running {
  readonly start: () => Promise<Pick<Session, "id">>;
  readonly show: (id: string) => Promise<Session>;
  readonly stream: (id: string) => AsyncIterable<StreamItem>;
}

export async function runToEnd({ start, show, stream }: Running, options: RunOptions = {}): Promise<Ran> {
  const { id } = await start();
  const lines: string[] = [];
  let outcome: string | null = null;
  for await (const item of stream(id)) {
    options.onItem?.(item);
    if (item.event === "line" && item.data.stream === "stdout") lines.push(item.data.line);
    if (item.event !== "event" || item.data.type !== "turn.ended@1") continue;
    outcome = String(memberOf(item.data.data, "outcome"));
    break;
  }
  options.signal?.throwIfAborted();
  return { session: await show(id), outcome, text: lines.join("\n") };
}
