import { type DriverFact, fact, LIMITS } from "../kernel/index.ts";
import { DriverError, type TurnPort } from "../turns/index.ts";
import { createToolCalls } from "./tool-calls.ts";
import type { ToolChange, Update } from "./update.ts";
import { type CostTold, createTurnUsage } from "./usage.ts";

/** Turns an agent's stream of updates into few, complete events, in order. */
export interface TurnRecorder {
  readonly push: (update: Update) => void;
  /** Pending while too much is queued. */
  readonly ready: () => Promise<void>;
  /** A tool call stands in the log before somebody is asked about it. Returns all that was said about it so far. */
  readonly toolAsked: (call: ToolChange) => Promise<Omit<ToolChange, "status">>;
  /** What is said from here on is another message. */
  readonly endMessage: () => Promise<void>;
  /** Nothing that is pushed from here on is recorded. */
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
  told: CostTold = { amount: 0 },
): TurnRecorder {
  const { turnId } = port;
  const tools = createToolCalls(port);
  let message: { readonly role: "assistant" | "thought"; readonly id: string | null; text: string } | null = null;
  const usage = createTurnUsage(told);
  let plan = "";
  let chars = 0;
  let updates = 0;
  let keptUpdates = 0;
  let closed = false;
  let finished = false;
  const line = createLine(onFailure);

  const record = async (facts: readonly DriverFact[]): Promise<void> => {
    if (facts.length > 0) await port.record(facts);
  };
  const count = (size: number): void => {
    chars += size;
    updates += 1;
    if (chars > TURN_CHARS_MAX || updates > TURN_UPDATES_MAX) throw saidTooMuch();
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
        const items = cutItems(update.items);
        if (JSON.stringify(items) === plan) return;
        plan = JSON.stringify(items);
        await flush();
        return port.todo(items);
      }
      case "usage":
      case "tokens":
        return usage.hear(update);
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

  return {
    push: (update) => {
      if (!closed || isUsage(update)) void line.add(() => take(update));
    },
    ready: async () => {
      while (line.isFull() && !closed) await line.room();
    },
    toolAsked: async (call) => {
      await line.add(async () => {
        await flush();
        await record([...(await tools.change(call)), ...(await tools.open())]);
      });
      await line.settle();
      return tools.known(call.callId) ?? call;
    },
    endMessage: () => line.add(flush),
    close: () => {
      closed = true;
      line.wake();
    },
    finish: async () => {
      closed = true;
      if (finished) return line.settle();
      finished = true;
      await line.add(async () => {
        await flush();
        const left = keptUpdates <= KEPT_UPDATES_MAX ? [] : [leftOut(turnId, keptUpdates - KEPT_UPDATES_MAX)];
        await record([...(await tools.finish()), ...left, ...usage.facts(turnId)]);
      });
      await line.settle();
    },
  };
}

/** Counted to the end, also of a turn that is being stopped. */
function isUsage({ is }: Update): boolean {
  return is === "usage" || is === "tokens";
}

/** Work that is done one after another; after a failure nothing more is done. */
interface Line {
  readonly add: (work: () => Promise<void>) => Promise<void>;
  readonly isFull: () => boolean;
  /** Resolves when there may be room. */
  readonly room: () => Promise<void>;
  readonly wake: () => void;
  /** Resolves when all that was added is done; throws what failed. */
  readonly settle: () => Promise<void>;
}

function createLine(onFailure: (error: Error) => void): Line {
  let waiting = 0;
  let failure: Error | null = null;
  let working: Promise<void> = Promise.resolve();
  let room = Promise.withResolvers<void>();
  return {
    add: (work) => {
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
    },
    isFull: () => waiting >= WAITING_MAX,
    room: () => room.promise,
    wake: () => room.resolve(),
    settle: async () => {
      await working;
      if (failure !== null) throw failure;
    },
  };
}

function saidTooMuch(): DriverError {
  const limits = { turnCharsMax: TURN_CHARS_MAX };
  return new DriverError("limit_reached", "the agent said more in one turn than is kept", limits);
}

function cutItems(items: Extract<Update, { is: "plan" }>["items"]): Extract<Update, { is: "plan" }>["items"] {
  return items
    .slice(0, LIMITS.todoItemsMax)
    .map(({ text, status }) => ({ text: text.slice(0, LIMITS.todoItemChars) || "…", status }));
}

function leftOut(turnId: string, count: number): DriverFact {
  const title = `${count} more updates of unknown kinds were left out`;
  return fact("driver.noticed@1", { turnId, severity: "warning", title, body: null });
}

const TITLE_CHARS = 500;
