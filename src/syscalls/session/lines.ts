import { type Line, out, sessionStream, type TextOrBlob } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";

const EVENTS_PER_PAGE = 500;
/** A session that says little and does much is searched this far back for what it said. */
const PAGES_MAX = 20;
/** A text that is larger is shown by its beginning, and says so. */
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
    // Newest first, so that no large text is fetched for lines that are not asked for.
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

/** A text whose beginning stands in the event and the whole in a blob. */
function isLargeText(data: object): data is TextOrBlob & { readonly blob: string } {
  return "text" in data && "blob" in data && typeof data.blob === "string";
}
