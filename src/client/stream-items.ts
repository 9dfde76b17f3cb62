import type { BodyReader } from "./request.ts";
import type { LogEvent, Session } from "./types.generated.ts";

/** The items of a stream. Only an `event` has a cursor to resume from. */
export type StreamItem =
  | { readonly event: "event"; readonly id: string; readonly data: LogEvent }
  | { readonly event: "line"; readonly data: { readonly line: string; readonly stream: "stdout" | "stderr" } }
  | {
      readonly event: "delta";
      readonly data: { readonly turnId: string; readonly source: string; readonly text: string };
    }
  | {
      readonly event: "status";
      readonly data: Pick<Session, "id" | "state" | "status" | "busy" | "queued" | "waitingFor">;
    }
  | { readonly event: "session"; readonly data: Session & { readonly doing?: string } }
  | { readonly event: "gone"; readonly data: { readonly id: string } }
  | { readonly event: "gap"; readonly data: { readonly dropped: number; readonly of: string } }
  | { readonly event: "end"; readonly data: { readonly id: string; readonly type: string } };

/** A connection that is silent for three keep-alives is dead, whatever the operating system says. */
const SILENCE_MAX_MS = 75_000;
const FRAME_CHARS_MAX = 33_554_432;

/** The server-sent events of one connection. Ends with the connection. */
export async function* readItems(reader: BodyReader): AsyncGenerator<StreamItem> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    while (true) {
      const { done, value } = await readInTime(reader);
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const frames = rest.split("\n\n");
      rest = frames.pop() ?? "";
      if (rest.length > FRAME_CHARS_MAX) throw new Error(`an item of a stream is longer than ${FRAME_CHARS_MAX}`);
      for (const frame of frames) {
        const item = parseFrame(frame);
        if (item !== null) yield item;
      }
    }
  } finally {
    await reader.cancel();
  }
}

async function readInTime(reader: BodyReader): ReturnType<BodyReader["read"]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<{ readonly done: true }>((resolve) => {
    timer = setTimeout(() => resolve({ done: true }), SILENCE_MAX_MS);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Null for a comment. */
function parseFrame(frame: string): StreamItem | null {
  const fields = new Map<string, string>();
  for (const line of frame.split("\n")) {
    const [, name, value] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  const event = fields.get("event");
  const data = fields.get("data");
  if (event === undefined || data === undefined) return null;
  const id = fields.get("id");
  // The daemon writes the type above; an item of an unknown kind is passed on as it is.
  return JSON.parse(`{"event":${JSON.stringify(event)},${id === undefined ? "" : `"id":"${id}",`}"data":${data}}`);
}
