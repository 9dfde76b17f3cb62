import { ClientError, errorIn } from "./client-error.ts";
import type { FetchResponse } from "./request.ts";
import { readItems } from "./stream-items.ts";

/** How far a long call is. */
export interface CallProgress {
  readonly message: string;
  /** Only where the amount is known: both, or neither. */
  readonly done?: number;
  readonly total?: number;
}

/** What to accept from the daemon when progress is wanted. */
export const WITH_PROGRESS = "application/json, text/event-stream";

/** The answer that follows reports of progress; null when the response has none. */
export async function awaitedAnswer(
  response: FetchResponse,
  report: (progress: CallProgress) => void,
): Promise<{ readonly value: unknown } | null> {
  const type = response.headers?.get("content-type") ?? "";
  if (!type.startsWith("text/event-stream") || response.body === null) return null;
  for await (const item of readItems(response.body.getReader())) {
    const { event, data }: { readonly event: string; readonly data: unknown } = item;
    if (event === "progress" && isProgress(data)) report(data);
    if (event === "answer") return { value: data };
    if (event === "error") throw errorIn(statusIn(data), JSON.stringify(data));
  }
  throw new ClientError("daemon_unreachable", {
    status: 0,
    details: { reason: "the connection ended before the answer" },
  });
}

function isProgress(data: unknown): data is CallProgress {
  return typeof data === "object" && data !== null && "message" in data && typeof data.message === "string";
}

function statusIn(data: unknown): number {
  return typeof data === "object" && data !== null && "status" in data ? Number(data.status) : 0;
}
