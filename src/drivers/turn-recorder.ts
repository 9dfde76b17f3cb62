import { type DriverFact, type EventData, fact, LIMITS } from "../kernel/index.ts";
import { DriverError, type TurnPort } from "../turns/index.ts";
import { createToolCalls } from "./tool-calls.ts";
import type { ToolChange, Update } from "./update.ts";

/** Turns an agent's stream of updates into few, complete events, in order. */
export interface TurnRecorder {
  readonly push: (update: Update) => void;
  /** Pending while too much is queued. */
  readonly ready: () => Promise<void>;
  /** Records the tool call before a person is asked about it. */
  readonly toolAsked: (call: ToolChange) => Promise<void>;
  /** Updates pushed after this are not recorded. */
  readonly close: () => void;
  /** Records the last text, open tool calls and usage, once. Throws the error that kept anything out of the log. */
  readonly finish: () => Promise<void>;
}

/** A message is recorded when it ends, or at this length. */
const MESSAGE_CHARS_MAX = 1_000_000;
const WAITING_MAX = 256;
/** Per turn: an agent that says more is ended. */
const TURN_CHARS_MAX = 67_108_864;
const TURN_UPDATES_MAX = 5_000_000;
const KEPT_UPDATES_MAX = 200;

export function createTurnRecorder(
  port: TurnPort,
  /** False for an update that makes no sense: it is kept like one of an unknown kind. */
  onOffer: (kind: string, update: unknown) => boolean,
  /** Called once, at the first recording that fails: the turn cannot go on. */
  onFailure: (error: Error) => void,
): TurnRecorder {
  const { turnId } = port;
  const tools = createToolCalls(port);
  let message: { readonly role: "assistant" | "thought"; readonly id: string | null; text: string } | null = null;
  let usage = NOTHING_USED;
  let plan = "";
  let chars = 0;
  let updates = 0;
  let keptUpdates = 0;
  let waiting = 0;
  let closed = false;
  let finished = false;
  let failure: Error | null = null;
  let working: Promise<void> = Promise.resolve();
  let room = Promise.withResolvers<void>();

  const record = async (facts: readonly DriverFact[]): Promise<void> => {
    if (facts.length > 0) await port.record(facts);
  };
  const count = (size: number): void => {
    chars += size;
    updates += 1;
    if (chars > TURN_CHARS_MAX || updates > TURN_UPDATES_MAX)
      throw new DriverError("limit_reached", "the agent said more in one turn than is kept", {
        turnCharsMax: TURN_CHARS_MAX,
      });
  };
  const flush = async (): Promise<void> => {
    if (message === null) return;
    const { text, role } = message;
    message = null;
    if (text !== "") await port.finishMessage(text, role);
  };
  const takeText = async (update: Extract<Update, { is: "text" }>): Promise<void> => {
    const other = message !== null && (message.role !== update.role || message.id !== update.messageId);
    if (other || (message?.text.length ?? 0) > MESSAGE_CHARS_MAX) await flush();
    if (message === null) await record(await tools.open());
    // Shown only now: what came before is in the log, so that watchers see both in order.
    if (update.role === "assistant" && update.whole !== true) port.stream(update.text);
    message ??= { role: update.role, id: update.messageId, text: "" };
    message.text = update.whole === true ? update.text : message.text + update.text;
  };

  const take = async (update: Update): Promise<void> => {
    switch (update.is) {
      case "text":
        count(update.text.length);
        return takeText(update);
      case "tool":
        count(0);
        await flush();
        return record(await tools.change(update.call));
      case "plan": {
        const items = update.items
          .slice(0, LIMITS.todoItemsMax)
          .map(({ text, status }) => ({ text: text.slice(0, LIMITS.todoItemChars) || "…", status }));
        if (JSON.stringify(items) === plan) return;
        plan = JSON.stringify(items);
        await flush();
        return port.todo(items);
      }
      case "usage":
        usage = { ...usage, contextTokens: update.used, contextMax: update.size, cost: update.cost ?? usage.cost };
        return;
      case "tokens":
        usage = {
          ...usage,
          inputTokens: sum(usage.inputTokens, update.input),
          outputTokens: sum(usage.outputTokens, update.output),
          cost:
            update.cost === null
              ? usage.cost
              : { ...update.cost, amount: update.cost.amount + (usage.cost?.amount ?? 0) },
        };
        return;
      case "notice": {
        await flush();
        const body = update.text === "" ? null : await port.keep(update.text);
        const { severity, title } = update;
        return record([fact("driver.noticed@1", { turnId, severity, title: title.slice(0, TITLE_CHARS), body })]);
      }
      case "offer":
        return onOffer(update.kind, update.update) ? undefined : keepUpdate(update);
      case "other":
        return keepUpdate(update);
      case "state":
      case "nothing":
        return;
    }
  };
  const keepUpdate = async ({ kind, update }: { readonly kind: string; readonly update: unknown }): Promise<void> => {
    keptUpdates += 1;
    if (keptUpdates > KEPT_UPDATES_MAX) return;
    await flush();
    const body = await port.keep(JSON.stringify(update) ?? "null");
    return record([fact("driver.update_kept@1", { turnId, kind, ...body })]);
  };

  const inOrder = (work: () => Promise<void>): Promise<void> => {
    waiting += 1;
    working = working
      .then(() => (failure === null ? work() : undefined))
      .catch((thrown: unknown) => {
        if (failure !== null) return;
        failure = thrown instanceof Error ? thrown : new Error(String(thrown));
        onFailure(failure);
      })
      .finally(() => {
        waiting -= 1;
        if (waiting >= WAITING_MAX) return;
        room.resolve();
        room = Promise.withResolvers<void>();
      });
    return working;
  };
  const settle = async (): Promise<void> => {
    await working;
    if (failure !== null) throw failure;
  };

  return {
    push: (update) => {
      if (closed) return;
      void inOrder(() => take(update));
    },
    ready: async () => {
      while (waiting >= WAITING_MAX && !closed) await room.promise;
    },
    toolAsked: async (call) => {
      await inOrder(async () => {
        await flush();
        await record([...(await tools.change(call)), ...(await tools.open())]);
      });
      await settle();
    },
    close: () => {
      closed = true;
      room.resolve();
    },
    finish: async () => {
      closed = true;
      if (finished) return settle();
      finished = true;
      await inOrder(async () => {
        await flush();
        const unheard = keptUpdates - KEPT_UPDATES_MAX;
        const left = unheard <= 0 ? [] : [noticed(`${unheard} more updates of unknown kinds were left out`)];
        await record([...(await tools.finish()), ...left, ...used()]);
      });
      await settle();
    },
  };

  function noticed(title: string): DriverFact {
    return fact("driver.noticed@1", { turnId, severity: "warning", title, body: null });
  }

  function used(): readonly DriverFact[] {
    return usage === NOTHING_USED ? [] : [fact("usage.reported@1", { turnId, ...usage })];
  }
}

const NOTHING_USED: Omit<EventData<"usage.reported@1">, "turnId"> = {
  contextTokens: null,
  contextMax: null,
  inputTokens: null,
  outputTokens: null,
  cost: null,
};

function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b;
}

const TITLE_CHARS = 500;
