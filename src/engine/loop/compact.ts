import type { Compaction, StepPurpose } from "../../kernel/index.ts";
import { prepareCompaction, tokensAfter } from "../compaction/prepare.ts";
import { COMPACTION_DEFAULTS, type CompactionSettings, shouldCompact } from "../compaction/settings.ts";
import { type AskModel, runStrategy, STRATEGIES } from "../compaction/strategies.ts";
import type { ModelRequest } from "../model.ts";
import { contextTokens, estimateTokens } from "../view/tokens.ts";
import { askModel } from "./ask-model.ts";
import { keepText } from "./link.ts";
import { Parked, TurnFailure } from "./turn-failure.ts";
import { record, type TurnState } from "./turn-state.ts";

/** At save points and between steps: makes room before the window is full. A failure leaves everything as it was. */
export async function compactIfFull(turn: TurnState): Promise<void> {
  const { order, model, session, specs } = turn;
  if (!order.limits.compaction.isEnabled) return;
  const tokens = contextTokens(session.transcript, { model: model.name, tools: specs }) + waitingTokens(turn);
  if (shouldCompact(tokens, model.windowTokens, settingsOf(turn))) await compact(turn, "threshold", null);
}

/** False: nothing could be compacted. Only a compaction that was asked for fails the turn. */
export async function compact(turn: TurnState, reason: Compaction["reason"], focus: string | null): Promise<boolean> {
  const { order, model, session, specs, link } = turn;
  const { transcript } = session;
  await record(turn, []);
  const scope = { windowTokens: model.windowTokens, settings: settingsOf(turn), model: model.name, tools: specs };
  const usual = reason === "overflow" ? null : prepareCompaction(transcript, scope);
  const found = usual ?? (reason === "threshold" ? null : prepareCompaction(transcript, { ...scope, isForced: true }));
  if (found === null) return false;
  // Where a person asked, a digest without a model is no answer: they are told, and nothing changes.
  const preparation = { ...found, isForced: reason === "overflow" };
  const strategy = strategyOf(order.limits.compaction.strategy);
  const supplied = await turn.points.fire("before_compact", { turnId: order.turnId, reason, preparation });
  if (supplied?.cancel === true) return false;
  const own = supplied?.summary;
  // Only a person waits for this summary. Otherwise the conversation goes on without it, and the next step parks if it must.
  const ask = askingFor(turn, "compaction", { mayPark: reason === "asked" });
  const result =
    own === undefined
      ? await runStrategy(strategy, preparation, ask, { focus, signal: link.signal })
      : ({ ok: true, summary: own, strategy: "extension" } as const);
  if (!result.ok) {
    if (result.cause instanceof Parked) throw result.cause;
    if (reason === "asked") throw new TurnFailure("compaction_failed", result.message);
    return false;
  }
  const { turnId } = order;
  const data: Compaction = {
    ...{ turnId, reason, focus, keptFrom: preparation.keptFrom, isSplitTurn: preparation.isSplitTurn },
    summary: await keepText(link, result.summary),
    tokensBefore: preparation.tokensBefore,
    tokensAfter: tokensAfter(transcript, preparation, result.summary, specs),
    strategy: result.strategy,
    files: preparation.files,
  };
  // The transcript needs the whole text, also where the log has only its beginning.
  const whole = { ...data, summary: { ...data.summary, text: result.summary } };
  await record(turn, [{ type: "context.compacted@1", data }], [{ type: "context.compacted@1", data: whole }]);
  await turn.points.fire("compacted", { turnId, isFromExtension: own !== undefined });
  return true;
}

/** Of results that are recorded with the next step. Of a long one the log's fact has only the beginning. */
function waitingTokens({ unrecorded }: TurnState): number {
  const texts = unrecorded.flatMap(({ loaded }) =>
    loaded.type === "tool.ended@1" ? (loaded.data.output?.text ?? "") : [],
  );
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}

export function settingsOf({ order }: TurnState): CompactionSettings {
  const { reserveTokens, keepRecentTokens } = order.limits.compaction;
  return {
    reserveTokens: reserveTokens ?? COMPACTION_DEFAULTS.reserveTokens,
    keepRecentTokens: keepRecentTokens ?? COMPACTION_DEFAULTS.keepRecentTokens,
  };
}

function strategyOf(name: string): (typeof STRATEGIES)[keyof typeof STRATEGIES] {
  const found = Object.entries(STRATEGIES).find(([known]) => known === name)?.[1];
  return found ?? STRATEGIES.summary;
}

/**
 * Summaries are steps too: they cost, may be retried, and are never part of the conversation. Where their own model fails,
 * the one that answers writes them.
 */
export function askingFor(turn: TurnState, purpose: StepPurpose, { mayPark }: { readonly mayPark: boolean }): AskModel {
  return async ({ system, text, outputTokensMax }) => {
    const request: ModelRequest = {
      system,
      messages: [{ role: "user", content: [{ kind: "text", text }] }],
      tools: [],
      outputTokensMax,
      thinking: "off",
      schema: null,
      cacheKey: `${turn.order.sessionId}/summary`,
    };
    const chosen = turn.summaryModel;
    const rest = turn.models.slice(turn.models.indexOf(turn.model)).filter(({ name }) => name !== chosen?.name);
    const summing: TurnState =
      chosen === null ? turn : { ...turn, model: chosen, models: [chosen, ...rest], limit: null };
    const question = { request: async () => request, onOverflow: async () => false, mayPark };
    return (await askModel(summing, purpose, question)).text;
  };
}
