import { type Line, out, sessionStream, type TextOrBlob } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";

const EVENTS_PER_PAGE = 500;
/** How many pages are searched for lines in a session with few messages and many other events. */
const PAGES_MAX = 20;
/** A larger text is cut, and the line says so. */
const WHOLE_TEXT_BYTES_MAX = 1_048_576;

/** The newest lines of a session, oldest first. */
export async function lastLines(
  store: Pick<Store, "readStream" | "blob" | "definitions">,
  id: string,
  lastN: number,
): Promise<readonly Line[]> {
  let lines: readonly Line[] = [];
  let before: number | null | undefined;
  for (let pages = 0; pages < PAGES_MAX && before !== null && lines.length < lastN; pages += 1) {
    const page = await store.readStream(sessionStream(id), {
      limit: Math.min(lastN, EVENTS_PER_PAGE),
      types: store.definitions.shown,
      descending: true,
      ...(before === undefined ? {} : { before }),
    });
    // Newest first, so that no large text is read for lines that were not requested.
    for (const event of page.events) {
      if (lines.length >= lastN) break;
      lines = [...(await linesOf(store, event)), ...lines];
    }
    before = page.next;
  }
  return lines.slice(-lastN);
}

export async function linesOf(
  store: Pick<Store, "blob" | "definitions">,
  event: RecordedEvent,
): Promise<readonly Line[]> {
  const { definitions } = store;
  const fact = event.data === null ? null : definitions.recall(event.type, event.data);
  if (fact === null) return [];
  const { data } = fact;
  if (!isLargeText(data)) return definitions.linesOf(fact);
  const whole = data.bytes <= WHOLE_TEXT_BYTES_MAX ? await store.blob(data.blob) : null;
  if (whole === null) return [...definitions.linesOf(fact), ...out(`[… of ${data.bytes} bytes: blob ${data.blob}]`)];
  return definitions.linesOf({ ...fact, data: { ...data, text: Buffer.from(whole).toString("utf8") } });
}

/** The event holds the beginning of the text, a blob the whole text. */
function isLargeText(data: object): data is TextOrBlob & { readonly blob: string } {
  return "text" in data && "blob" in data && typeof data.blob === "string";
}
