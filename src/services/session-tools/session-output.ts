import * as z from "zod";
import type { Caller } from "./session-call.ts";

const Page = z.object({
  events: z.array(z.object({ seq: z.number(), type: z.string(), data: z.unknown() })),
  next: z.number().nullable(),
});
const EVENTS_PER_PAGE = 200;
const CHARS_MAX = 24_000;

const Message = z.object({ text: z.string(), role: z.string() });
const Large = z.looseObject({ text: z.string(), blob: z.string() });

/** Reads a blob that an event names. Who may read the event may read it. */
export type ReadBlob = (sha256: string) => Promise<Uint8Array | null>;

export interface OutputReader {
  readonly read: Caller["read"];
  readonly blob: ReadBlob;
}
const Ended = z.object({ outcome: z.string(), error: z.object({ message: z.string() }).nullable() });
const Called = z.object({ title: z.string() });
const Asked = z.object({ question: z.string() });

/** What of a session's log its parent reads, as text. */
const SHOWN: Readonly<Record<string, (data: unknown) => string | null>> = {
  "message.completed@1": (data) => {
    const message = Message.safeParse(data).data;
    return message === undefined || message.role === "thought" ? null : message.text;
  },
  "tool.called@1": (data) => line("[tool] ", Called.safeParse(data).data?.title),
  "approval.requested@1": (data) => line("[asks a person] ", Asked.safeParse(data).data?.question),
  "turn.ended@1": (data) => {
    const { outcome = "", error = null } = Ended.safeParse(data).data ?? {};
    return `[turn ended: ${outcome}${error === null ? "" : `, ${error.message}`}]`;
  },
};

function line(mark: string, text: string | undefined): string | null {
  return text === undefined ? null : `${mark}${text}`;
}

/** From a cursor on; `next` is the cursor to go on with. */
export async function printed(
  { read, blob }: OutputReader,
  id: string,
  after: number,
): Promise<{ readonly text: string; readonly next: number }> {
  const types = Object.keys(SHOWN);
  const { events } = Page.parse(await read("session.events", { id, after, types, limit: EVENTS_PER_PAGE }));
  const lines: string[] = [];
  let chars = 0;
  let next = after;
  for (const { seq, type, data } of events) {
    const text = SHOWN[type]?.(await whole(data, blob)) ?? null;
    if (text !== null && chars > 0 && chars + text.length > CHARS_MAX) break;
    next = seq;
    if (text === null) continue;
    lines.push(beginning(text));
    chars += text.length;
  }
  return { text: lines.join("\n"), next };
}

export async function lastAnswer({ read, blob }: OutputReader, id: string): Promise<string | null> {
  const types = ["message.completed"];
  const { events } = Page.parse(await read("session.events", { id, types, order: "desc", limit: 10 }));
  const found = events.find(({ data }) => Message.safeParse(data).data?.role === "assistant");
  const message = found === undefined ? undefined : Message.safeParse(await whole(found.data, blob)).data;
  return message === undefined ? null : beginning(message.text);
}

/** An event holds only the beginning of a large text, a blob all of it. */
async function whole(data: unknown, blob: ReadBlob): Promise<unknown> {
  const large = Large.safeParse(data).data;
  const bytes = large === undefined ? null : await blob(large.blob);
  return bytes === null ? data : { ...large, text: Buffer.from(bytes).toString("utf8") };
}

function beginning(text: string): string {
  return text.length <= CHARS_MAX
    ? text
    : `${text.slice(0, CHARS_MAX)}\n[cut: ${CHARS_MAX} of ${text.length} characters]`;
}
