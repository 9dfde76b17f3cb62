import { sessionStream } from "../kernel/index.ts";
import type { RecordedEvent, Store } from "../store/index.ts";

/** A session's output as lines, for those who read lines (AIP-46). Consumers find a turn's end by its line. */
export interface OutputLine {
  readonly line: string;
  readonly stream: "stdout" | "stderr";
}

const EVENTS_PER_PAGE = 500;
/** A session that says little and does much is searched this far back for what it said. */
const PAGES_MAX = 20;
const TYPES_WITH_LINES = [
  "message.completed",
  "effect.intended",
  "effect.output",
  "effect.settled",
  "tool.called",
  "tool.ended",
  "gate.denied",
  "driver.noticed",
  "approval.requested",
  "turn.ended",
  "session.failed",
];

/** A text that is larger is shown by its beginning, and says so. */
const WHOLE_TEXT_BYTES_MAX = 1_048_576;

/** The newest lines of a session, oldest first. */
export async function lastLines(
  store: Pick<Store, "readStream" | "blob">,
  id: string,
  lastN: number,
): Promise<readonly OutputLine[]> {
  let lines: readonly OutputLine[] = [];
  let before: number | null | undefined;
  for (let pages = 0; pages < PAGES_MAX && before !== null && lines.length < lastN; pages += 1) {
    const page = await store.readStream(sessionStream(id), {
      limit: Math.min(lastN, EVENTS_PER_PAGE),
      types: TYPES_WITH_LINES,
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

export async function linesOf(store: Pick<Store, "blob">, event: RecordedEvent): Promise<readonly OutputLine[]> {
  const { data } = event;
  const isText = event.type === "message.completed@1" || event.type === "effect.output@1";
  if (!isText || data === null || typeof data !== "object" || !("blob" in data) || typeof data["blob"] !== "string")
    return linesIn(event);
  const bytes = Number(data["bytes"]);
  const whole = bytes <= WHOLE_TEXT_BYTES_MAX ? await store.blob(data["blob"]) : null;
  if (whole !== null) return linesIn({ ...event, data: { ...data, text: Buffer.from(whole).toString("utf8") } });
  return [...linesIn(event), ...out(`[… of ${bytes} bytes: blob ${data["blob"]}]`)];
}

function linesIn(event: RecordedEvent): readonly OutputLine[] {
  const { data } = event;
  if (data === null || typeof data !== "object") return [];
  const member = (key: string): unknown => Reflect.get(data, key);
  const text = (value: unknown, key: string): string =>
    typeof value === "object" && value !== null ? String(Reflect.get(value, key) ?? "") : "";
  switch (event.type) {
    case "message.completed@1": {
      const thought = member("role") === "thought" ? "[thought] " : "";
      return split(text(data, "text"), "stdout", thought);
    }
    case "effect.intended@1":
      return out(`[tool] ${String(member("kind"))}: ${toolDetail(member("detail"))}`);
    case "effect.output@1":
      return split(text(data, "text"), member("stream") === "stderr" ? "stderr" : "stdout", "");
    case "effect.settled@1": {
      if (member("outcome") === "done") return [];
      const exit = member("exitCode") === null ? "" : ` (exit ${String(member("exitCode"))})`;
      const why = member("message") === null ? "" : `: ${String(member("message"))}`;
      return err(`[tool-error] ${String(member("outcome"))}${exit}${why}`);
    }
    case "tool.called@1":
      return out(`[tool] ${String(member("title"))}`);
    case "tool.ended@1":
      return member("outcome") === "failed" ? err(`[tool-error] ${String(member("title"))}`) : [];
    case "driver.noticed@1":
      return member("severity") === "info"
        ? split(text(member("body"), "text"), "stderr", "")
        : err(`[notice] ${String(member("title"))}`);
    case "gate.denied@1":
      return err(`[denied] ${String(member("verb"))} ${String(member("resource"))}`);
    case "approval.requested@1":
      return out(`[awaiting input] ${String(member("question"))}`);
    case "turn.ended@1": {
      const error = member("error");
      const failure = error === null || error === undefined ? [] : err(`[error] ${text(error, "message")}`);
      return [...failure, ...out(`── turn-end (${String(member("outcome"))}) ──`)];
    }
    case "session.failed@1":
      return err(`[error] ${String(member("message"))}`);
    default:
      return [];
  }
}

function split(text: string, stream: OutputLine["stream"], prefix: string): readonly OutputLine[] {
  const lines = text.endsWith("\n") ? text.slice(0, -1).split("\n") : text.split("\n");
  return lines.map((line) => ({ line: prefix + line, stream }));
}

function toolDetail(detail: unknown): string {
  if (typeof detail !== "object" || detail === null) return "";
  const shown: unknown = Reflect.get(detail, "command") ?? Reflect.get(detail, "path") ?? Reflect.get(detail, "argv");
  return Array.isArray(shown) ? shown.join(" ") : String(shown ?? "");
}

/** What an agent calls a thing, or says last, may have several lines. */
const out = (text: string): readonly OutputLine[] => split(text, "stdout", "");
const err = (text: string): readonly OutputLine[] => split(text, "stderr", "");
