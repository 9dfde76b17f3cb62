import type { LogEvent } from "../../../src/client/index.ts";
import { memberOf } from "../../../src/kernel/index.ts";
import type { Entry, PromptEntry, QuestionEntry, Step } from "../entry.ts";
import { listIn, numberOrNull, placeOf, storedIn, textIn, textOrNull } from "../reading.ts";
import { dollarsText } from "../time-text.ts";
import type { Desk, Handlers, Turn } from "./desk.ts";
import { STEP_HANDLERS, steerAsPrompt, steersAfter, steersWithPrompt, withoutRepeated } from "./fold-steps.ts";
import { cutTools, TOOL_HANDLERS } from "./fold-tools.ts";
import { noteIn } from "./notes.ts";

/** Makes a transcript of events, one after the other. An entry that changes is a new object; the others stay the same. */
export interface Fold {
  readonly add: (event: LogEvent) => void;
  readonly entries: () => readonly Entry[];
}

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
    remove: (key) => {
      byKey.delete(key);
      made = null;
    },
    toEnd: (key) => {
      const entry = byKey.get(key);
      if (entry === undefined) return;
      byKey.delete(key);
      byKey.set(key, entry);
      made = null;
    },
    turn: ({ data }) => {
      const id = textIn(data, "turnId");
      const known = turns.get(id) ?? newTurn();
      turns.set(id, known);
      return known;
    },
    callOf: new Map(),
    waiting: new Set(),
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

function newTurn(): Turn {
  return { startedAt: null, tools: 0, usage: null, steps: new Map(), open: new Set(), failure: null };
}

const HANDLERS: Handlers = {
  ...TOOL_HANDLERS,
  ...STEP_HANDLERS,
  "turn.admitted@1": (desk, event) => {
    const { data } = event;
    const text = textIn(data, "prompt");
    steerAsPrompt(desk, textIn(data, "turnId"));
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
    steersWithPrompt(desk);
  },
  "usage.reported@1": (desk, event) => {
    desk.turn(event).usage = event.data;
  },
  "turn.ended@1": (desk, event) => {
    changePrompt(desk, event, { standing: "ended" });
    cutTools(desk, event);
    steersAfter(desk, textIn(event.data, "outcome"));
    const { startedAt, tools, usage, steps: held } = desk.turn(event);
    const steps = [...held.values()];
    // Of a turn whose beginning is not held a sum would be too small.
    const sum = startedAt === null ? NO_SUM : sumOf(steps);
    const error = memberOf(event.data, "error");
    withoutRepeated(desk, desk.turn(event), textIn(error, "message"));
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
      tokens: tokensIn(usage) ?? sum.tokens,
      cost: costIn(usage) ?? sum.cost,
      steps,
    });
  },
  "message.completed@1": (desk, event) => {
    const isThought = memberOf(event.data, "role") === "thought";
    const body = storedIn(event.data) ?? { text: "", blob: null, bytes: 0 };
    desk.put({ ...placeOf(event), kind: "message", isThought, body });
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
  if (micro !== null) return dollarsText(micro);
  const amount = numberOrNull(memberOf(usage, "cost"), "amount");
  if (amount === null) return null;
  return `${amount.toFixed(amount < 0.1 ? 4 : 2)} ${textIn(memberOf(usage, "cost"), "currency")}`.trim();
}

const NO_SUM = { tokens: null, cost: null };

/** Of the engine's steps. Null: there were none, or none has a price. */
function sumOf(steps: readonly Step[]): { readonly tokens: number | null; readonly cost: string | null } {
  const tokens = steps.reduce((total, { input, output, cached }) => total + input + output + cached, 0);
  const prices = steps.flatMap(({ costMicroUsd }) => costMicroUsd ?? []);
  const cost = prices.length === 0 ? null : dollarsText(prices.reduce((total, price) => total + price, 0));
  return { tokens: tokens > 0 ? tokens : null, cost };
}
