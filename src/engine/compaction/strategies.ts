import type { Message } from "../model.ts";
import { cutText, isBlank } from "../view/texts.ts";
import type { Preparation } from "./prepare.ts";
import { fitPieces, piecesOf } from "./session-text.ts";
import { joinSummary, type SummaryRequest, summaryBody, summaryRequests } from "./summary.ts";

/** A way to replace messages by a summary. */
export interface CompactionStrategy {
  readonly name: string;
  /** Rejects when it cannot; nothing has changed then. */
  readonly compact: (
    preparation: Preparation,
    ask: AskModel,
    focus: string | null,
  ) => Promise<{ readonly summary: string }>;
}

/** Asks the model; resolves with the text of its answer. */
export type AskModel = (request: SummaryRequest) => Promise<string>;

export type CompactionResult =
  | { readonly ok: true; readonly summary: string; readonly strategy: string }
  | { readonly ok: false; readonly message: string; readonly cause: unknown };

/**
 * Runs a strategy. A failed one changes nothing, so that the session goes on; but where the context no longer fits, a
 * digest without a model takes its place. Rejects only when `signal` was aborted.
 */
export async function runStrategy(
  strategy: CompactionStrategy,
  preparation: Preparation,
  ask: AskModel,
  more: { readonly focus?: string | null; readonly signal?: AbortSignal } = {},
): Promise<CompactionResult> {
  const focus = more.focus ?? null;
  try {
    return { ok: true, ...(await strategy.compact(preparation, ask, focus)), strategy: strategy.name };
  } catch (cause) {
    more.signal?.throwIfAborted();
    if (preparation.isForced && strategy.name !== WINDOW.name)
      return { ok: true, ...(await WINDOW.compact(preparation, ask, focus)), strategy: WINDOW.name };
    return { ok: false, message: cause instanceof Error ? cause.message : String(cause), cause };
  }
}

/** The model writes the summary. */
const SUMMARY: CompactionStrategy = {
  name: "summary",
  async compact(preparation, ask, focus) {
    // All have ended before a failure is told: no request goes on after its turn.
    const settled = await Promise.allSettled(
      summaryRequests(preparation, focus).map(async (request) => {
        const answer = await ask(request);
        if (isBlank(answer)) throw new Error("The model gave an empty summary.");
        return { of: request.of, answer };
      }),
    );
    const answers = settled.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    });
    const answerOf = (of: SummaryRequest["of"]) => answers.find((one) => one.of === of)?.answer ?? null;
    return { summary: joinSummary(preparation, { history: answerOf("history"), turn: answerOf("turn") }) };
  },
};

const PROMPT_CHARS = 500;
const ANSWER_CHARS = 2000;
const WINDOW_CHARS = 24_000;

/** No model: only the prompts, the last answer, files and todo remain. */
const WINDOW: CompactionStrategy = {
  name: "window",
  async compact(preparation, _ask, focus) {
    const messages = goneMessages(preparation);
    const prompts = textsOf(messages, "user").map((said) => `- ${cutText(said, PROMPT_CHARS)}`);
    const answer = textsOf(messages, "assistant").at(-1);
    const history = [
      "(Made without a model: messages and tool results before this point are gone. Look at the files before you rely on memory.)",
      ...earlier(preparation),
      ...(focus === null || isBlank(focus) ? [] : [`## Asked to keep in mind\n${focus.trim()}`]),
      ...(prompts.length === 0 ? [] : [`## What the user said\n${fitPieces(prompts, WINDOW_CHARS / 2)}`]),
      ...(answer === undefined ? [] : [`## The last answer\n${cutText(answer, ANSWER_CHARS)}`]),
    ].join("\n\n");
    return { summary: joinSummary(preparation, { history, turn: null }) };
  },
};

/** No model: what was said remains, the tools' results and thoughts go. */
const PRUNE: CompactionStrategy = {
  name: "prune",
  async compact(preparation) {
    const spoken = goneMessages(preparation).flatMap(spokenPart);
    const charsMax = preparation.settings.keepRecentTokens * CHARS_PER_TOKEN;
    const history = [
      "(What was said so far, without tool results. Call a tool again where you need its result.)",
      ...earlier(preparation),
      fitPieces(piecesOf(spoken), charsMax),
    ].join("\n\n");
    return { summary: joinSummary(preparation, { history, turn: null }) };
  },
};

/** By name, as the configuration has it. */
export const STRATEGIES = { summary: SUMMARY, window: WINDOW, prune: PRUNE } as const;

const CHARS_PER_TOKEN = 4;

function goneMessages({ toSummarize, turnPrefix }: Preparation): readonly Message[] {
  return [...toSummarize, ...turnPrefix];
}

/** The newest end of the earlier summary: without a model it would grow for ever. */
function earlier({ previousSummary }: Preparation): readonly string[] {
  if (previousSummary === null) return [];
  const lines = summaryBody(previousSummary).split("\n\n");
  return [`## Before that\n${fitPieces(lines, WINDOW_CHARS / 2)}`];
}

function textsOf(messages: readonly Message[], role: "user" | "assistant"): readonly string[] {
  return messages.flatMap((message) => {
    if (message.role === "tool" || message.role !== role) return [];
    return message.content.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  });
}

function spokenPart(message: Message): readonly Message[] {
  if (message.role === "tool") return [];
  if (message.role === "user") return [message];
  const content = message.content.filter(({ kind }) => kind !== "thought");
  return content.length === 0 ? [] : [{ role: "assistant", content }];
}
