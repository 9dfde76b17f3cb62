import type { LogEvent } from "../../src/client/index.ts";
import { toolTitle } from "../../src/domains/index.ts";
import { memberOf } from "../../src/kernel/index.ts";
import type { Entry, PromptEntry, QuestionEntry, ToolEntry } from "./entry.ts";
import { noteIn } from "./notes.ts";
import { listIn, numberOrNull, placeOf, storedIn, textIn, textOrNull } from "./reading.ts";

/** Makes a transcript of events, one after the other. An entry that changes is a new object; the others stay the same. */
export interface Fold {
  readonly add: (event: LogEvent) => void;
  readonly entries: () => readonly Entry[];
}

interface Turn {
  startedAt: string | null;
  tools: number;
  usage: unknown;
}

interface Desk {
  readonly put: (entry: Entry) => void;
  readonly find: (key: string) => Entry | undefined;
  readonly toEnd: (key: string) => void;
  readonly turn: (event: LogEvent) => Turn;
}

/** A command that prints without end shows its beginning and its newest pieces. */
const PIECES_MAX = 200;

export function foldEvents(events: readonly LogEvent[]): readonly Entry[] {
  const fold = createFold();
  for (const event of events) fold.add(event);
  return fold.entries();
}

export function createFold(): Fold {
  const byKey = new Map<string, Entry>();
  const turns = new Map<string, Turn>();
  let made: readonly Entry[] | null = null;
  const desk: Desk = {
    put: (entry) => {
      byKey.set(entry.key, entry);
      made = null;
    },
    find: (key) => byKey.get(key),
    toEnd: (key) => {
      const entry = byKey.get(key);
      if (entry === undefined) return;
      byKey.delete(key);
      byKey.set(key, entry);
      made = null;
    },
    turn: ({ data }) => {
      const id = textIn(data, "turnId");
      const known = turns.get(id) ?? { startedAt: null, tools: 0, usage: null };
      turns.set(id, known);
      return known;
    },
  };
  return {
    add: (event) => {
      const handler = event.data === null ? undefined : HANDLERS[event.type];
      if (handler !== undefined) return handler(desk, event);
      const note = noteIn(event);
      if (note !== null) desk.put(note);
    },
    entries: () => {
      made ??= [...byKey.values()];
      return made;
    },
  };
}

const HANDLERS: { readonly [type: string]: (desk: Desk, event: LogEvent) => void } = {
  "turn.admitted@1": (desk, event) => {
    const { data } = event;
    const text = textIn(data, "prompt");
    const body = { text, blob: textOrNull(data, "blob"), bytes: numberOrNull(data, "bytes") ?? text.length };
    const place = placeOf(event, `turn:${textIn(data, "turnId")}`);
    desk.put({ ...place, kind: "prompt", body, standing: "queued", attachments: [] });
  },
  "turn.attached@1": (desk, event) => {
    const attachments = listIn(event.data, "items").map((item) => ({
      name: textIn(item, "name"),
      mediaType: textIn(item, "mediaType"),
      bytes: numberOrNull(item, "bytes") ?? 0,
    }));
    changePrompt(desk, event, { attachments });
  },
  "turn.started@1": (desk, event) => {
    desk.turn(event).startedAt = event.at;
    // A prompt that waited stands where its turn begins, not among the words of the turn before.
    desk.toEnd(`turn:${textIn(event.data, "turnId")}`);
    changePrompt(desk, event, { standing: "running" });
  },
  "usage.reported@1": (desk, event) => {
    desk.turn(event).usage = event.data;
  },
  "turn.ended@1": (desk, event) => {
    changePrompt(desk, event, { standing: "ended" });
    const { startedAt, tools, usage } = desk.turn(event);
    const error = memberOf(event.data, "error");
    desk.put({
      ...placeOf(event),
      kind: "turn-end",
      outcome: textIn(event.data, "outcome"),
      error:
        typeof error === "object" && error !== null
          ? { code: textIn(error, "code"), message: textIn(error, "message") }
          : null,
      startedAt,
      tools,
      tokens: tokensIn(usage),
      cost: costIn(usage),
    });
  },
  "message.completed@1": (desk, event) => {
    const isThought = memberOf(event.data, "role") === "thought";
    const body = storedIn(event.data) ?? { text: "", blob: null, bytes: 0 };
    desk.put({ ...placeOf(event), kind: "message", isThought, body });
  },
  "effect.intended@1": called,
  "tool.called@1": called,
  "effect.output@1": (desk, event) => {
    const before = toolOf(desk, event);
    const stream = memberOf(event.data, "stream") === "stderr" ? "stderr" : "stdout";
    const output = [...before.output, { stream, body: storedIn(event.data) ?? { text: "", blob: null, bytes: 0 } }];
    const isFull = output.length > PIECES_MAX;
    desk.put({
      ...before,
      output: isFull ? output.toSpliced(1, 1) : output,
      droppedPieces: before.droppedPieces + (isFull ? 1 : 0),
    } as ToolEntry);
  },
  "effect.settled@1": (desk, event) => {
    const message = textOrNull(event.data, "message");
    desk.put({ ...toolOf(desk, event), ...endIn(event), message, exitCode: numberOrNull(event.data, "exitCode") });
  },
  "tool.ended@1": (desk, event) => {
    const before = toolOf(desk, event);
    const output = storedIn(memberOf(event.data, "output"));
    const title = textIn(event.data, "title");
    desk.put({
      ...before,
      ...endIn(event),
      ...(title === "" ? {} : { title }),
      places: placesIn(event.data, before.places),
      output: output === null ? before.output : [{ stream: "stdout", body: output }],
      diffs: diffsIn(event.data),
    });
  },
  "approval.requested@1": (desk, event) => desk.put(askedIn(event)),
  "approval.answered@1": answered,
  "approval.closed@1": answered,
  "todo.replaced@1": (desk, event) => {
    const items = listIn(event.data, "items").map((item) => ({
      text: textIn(item, "text"),
      status: textIn(item, "status"),
    }));
    desk.put({ ...placeOf(event), kind: "todo", items });
  },
};

function changePrompt(desk: Desk, { data }: LogEvent, change: Partial<PromptEntry>): void {
  const prompt = desk.find(`turn:${textIn(data, "turnId")}`);
  if (prompt?.kind === "prompt") desk.put({ ...prompt, ...change });
}

function called(desk: Desk, event: LogEvent): void {
  const { data } = event;
  desk.turn(event).tools += 1;
  const detail = memberOf(data, "detail");
  desk.put({
    ...emptyTool(event),
    tool: textIn(data, "kind"),
    title: toolTitle(data).trim(),
    places: placesIn(data, []),
    input: storedIn(memberOf(data, "input")) ?? storedIn(detail),
    command: textOrNull(detail, "command"),
  });
}

/** A call whose beginning is not held is shown with what its end says. */
function toolOf(desk: Desk, event: LogEvent): ToolEntry {
  const known = desk.find(toolKey(event));
  return known?.kind === "tool" ? known : emptyTool(event);
}

function toolKey({ data }: LogEvent): string {
  return `tool:${textIn(data, "effectId")}${textIn(data, "callId")}`;
}

function emptyTool(event: LogEvent): ToolEntry {
  return {
    ...placeOf(event, toolKey(event)),
    kind: "tool",
    tool: "tool",
    title: "tool call",
    places: [],
    input: null,
    command: null,
    output: [],
    droppedPieces: 0,
    diffs: [],
    outcome: null,
    exitCode: null,
    message: null,
    endedAt: null,
  };
}

function endIn({ data, at }: LogEvent): Pick<ToolEntry, "outcome" | "endedAt"> {
  return { outcome: textIn(data, "outcome"), endedAt: at };
}

function placesIn(data: unknown, before: ToolEntry["places"]): ToolEntry["places"] {
  const places = listIn(data, "places");
  if (places.length === 0) return before;
  return places.map((place) => ({ path: textIn(place, "path"), line: numberOrNull(place, "line") }));
}

function diffsIn(data: unknown): ToolEntry["diffs"] {
  return listIn(data, "diffs").map((diff) => ({
    path: textIn(diff, "path"),
    before: storedIn(memberOf(diff, "before")),
    after: storedIn(memberOf(diff, "after")) ?? { text: "", blob: null, bytes: 0 },
  }));
}

function askedIn(event: LogEvent): QuestionEntry {
  const { data } = event;
  const [action, detail] = [memberOf(data, "action"), memberOf(data, "detail")];
  const [verb, resource] = [textOrNull(action, "verb"), textOrNull(action, "resource")];
  const details = (["command", "path", "diff"] as const).flatMap((name) => {
    const value = textIn(detail, name);
    return value === "" ? [] : [[name, value] as const];
  });
  return {
    ...placeOf(event, `question:${textIn(data, "approvalId")}`),
    kind: "question",
    approvalId: textIn(data, "approvalId"),
    question: textIn(data, "question"),
    options: listIn(data, "options").map(String),
    action: verb === null || resource === null ? null : { verb, resource },
    detail: Object.fromEntries(details),
    status: "pending",
    option: null,
    reason: null,
    by: null,
  };
}

const ANSWERS = ["approved", "rejected", "cancelled", "expired"] as const;

function answered(desk: Desk, event: LogEvent): void {
  const asked = desk.find(`question:${textIn(event.data, "approvalId")}`);
  const status = ANSWERS.find((known) => known === memberOf(event.data, "status"));
  if (asked?.kind !== "question" || status === undefined) return;
  const [option, reason] = [textOrNull(event.data, "option"), textOrNull(event.data, "reason")];
  desk.put({ ...asked, status, option, reason, by: event.actor });
}

/** The share of the turn where the agent tells it, else the totals it gave. Null: it told nothing. */
function tokensIn(usage: unknown): number | null {
  const spent = memberOf(usage, "spent");
  const sum = (of: unknown, keys: readonly string[]): number =>
    keys.reduce((total, key) => total + (numberOrNull(of, key) ?? 0), 0);
  const tokens =
    sum(spent, ["input", "output", "cacheRead", "cacheWrite"]) || sum(usage, ["inputTokens", "outputTokens"]);
  return tokens > 0 ? tokens : null;
}

function costIn(usage: unknown): string | null {
  const micro = numberOrNull(memberOf(usage, "spent"), "costMicroUsd");
  if (micro !== null) return `$${(micro / 1_000_000).toFixed(micro < 100_000 ? 4 : 2)}`;
  const amount = numberOrNull(memberOf(usage, "cost"), "amount");
  if (amount === null) return null;
  return `${amount.toFixed(amount < 0.1 ? 4 : 2)} ${textIn(memberOf(usage, "cost"), "currency")}`.trim();
}
