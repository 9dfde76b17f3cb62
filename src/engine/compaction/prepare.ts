import type { TodoItem } from "../../kernel/index.ts";
import type { Message, ToolSpec } from "../model.ts";
import type { Entry } from "../view/entry.ts";
import { allTokens, contextTokens, entryTokens, estimateTokens, toolTokens } from "../view/tokens.ts";
import { joinFiles, type TouchedFiles } from "../view/touched-files.ts";
import type { Transcript } from "../view/transcript.ts";
import { type CompactionSettings, settingsFor } from "./settings.ts";

/** What to summarise and what to keep; nothing is changed yet. */
export interface Preparation {
  readonly toSummarize: readonly Message[];
  /** The beginning of the turn that the kept part is the end of; it gets a summary of its own. */
  readonly turnPrefix: readonly Message[];
  readonly isSplitTurn: boolean;
  /** As `context.compacted@1` has it: null when nothing is kept. */
  readonly keptFrom: string | null;
  readonly tokensBefore: number;
  /** Estimate of the kept part, without system prompt, tools and summary. */
  readonly tokensKept: number;
  readonly previousSummary: string | null;
  /** Cumulative over all compactions. */
  readonly files: TouchedFiles;
  readonly todo: readonly TodoItem[];
  readonly windowTokens: number;
  readonly settings: CompactionSettings;
  readonly isForced: boolean;
}

export interface CompactionOrder {
  readonly windowTokens: number;
  readonly settings?: CompactionSettings;
  /** The provider refused the context as too large: something has to go, whatever the estimate says. */
  readonly isForced?: boolean;
  /** Of the next request. */
  readonly model?: string;
  readonly tools?: readonly ToolSpec[];
}

/** A summary needs about as much itself. */
const SAVING_MIN_TOKENS = 256;
/** A forced compaction removes at least this share of the messages. */
const FORCED_SHARE = 0.25;
/** Per list: the newest are kept. */
const FILES_MAX = 500;

/** Null: there is nothing to do, or nothing would be saved. */
export function prepareCompaction(transcript: Transcript, order: CompactionOrder): Preparation | null {
  const { windowTokens, isForced = false } = order;
  const settings = settingsFor(windowTokens, order.settings);
  const entries = transcript.entries().filter((entry) => entry.messages().length > 0);
  const last = transcript.compaction();
  if (entries.length === 0 || (last?.isLast === true && !isForced)) return null;
  const keepTokens = settings.keepRecentTokens;
  const cut = isForced ? forcedCut(entries, keepTokens) : wholeTurn(entries, usualCut(entries, keepTokens));
  const gone = entries.slice(0, cut);
  if (cut === 0 || (!isForced && tokensOf(gone) < SAVING_MIN_TOKENS)) return null;
  const { turnStart, isSplitTurn } = splitOf(transcript, entries, cut);
  return {
    toSummarize: messagesOf(entries.slice(0, turnStart)),
    turnPrefix: messagesOf(entries.slice(turnStart, cut)),
    isSplitTurn,
    keptFrom: entries[cut]?.eventId ?? null,
    tokensBefore: contextTokens(transcript, order),
    tokensKept: tokensOf(entries.slice(cut)),
    previousSummary: last?.summary ?? null,
    files: newest(joinFiles([...(last === null ? [] : [last.files]), ...gone.map((entry) => entry.files())])),
    todo: transcript.todo(),
    windowTokens,
    settings,
    isForced,
  };
}

/** Tokens of the next request once this summary stands for what is cut. */
export function tokensAfter(
  transcript: Transcript,
  { tokensKept }: Preparation,
  summary: string,
  tools: readonly ToolSpec[] = [],
): number {
  return estimateTokens(transcript.system()) + toolTokens(tools) + estimateTokens(summary) + tokensKept;
}

/**
 * The index of the first kept entry. Results are part of their step's entry, so no cut is at a result. The last entry
 * stays: the model may not have seen its results yet.
 */
function usualCut(entries: readonly Entry[], keepTokens: number): number {
  let kept = 0;
  for (const [index, entry] of [...entries.entries()].reverse()) {
    const { said, results } = entryTokens(entry);
    if (kept + results >= keepTokens) return wholeEvent(entries, Math.min(index + 1, entries.length - 1));
    kept += results + said;
    if (kept >= keepTokens) return wholeEvent(entries, index);
  }
  return 0;
}

/** A turn whose beginning is short is not split: a summary of it would be longer. */
function wholeTurn(entries: readonly Entry[], cut: number): number {
  const start = entries.findIndex(({ kind, turnId }) => kind === "prompt" && turnId === entries[cut]?.turnId);
  return start >= 0 && start < cut && tokensOf(entries.slice(start, cut)) < SAVING_MIN_TOKENS ? start : cut;
}

/** Keeps less and less until enough goes; in the end nothing is kept. */
function forcedCut(entries: readonly Entry[], keepTokens: number): number {
  const enough = tokensOf(entries) * FORCED_SHARE;
  for (let keep = keepTokens; ; keep = Math.floor(keep / 2)) {
    const cut = nextEvent(entries, fittingCut(entries, keep));
    if (cut === entries.length || (cut > 0 && tokensOf(entries.slice(0, cut)) >= enough)) return cut;
  }
}

/** The longest end of the entries that is not larger than `keepTokens`. */
function fittingCut(entries: readonly Entry[], keepTokens: number): number {
  let kept = 0;
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    kept += entry === undefined ? 0 : allTokens(entry);
    if (kept > keepTokens) return index + 1;
  }
  return 0;
}

/** Entries of one event stay together: a compaction keeps from an event on. */
function wholeEvent(entries: readonly Entry[], cut: number): number {
  let index = cut;
  while (index > 0 && index < entries.length && entries[index - 1]?.eventId === entries[index]?.eventId) index -= 1;
  return index;
}

/** Likewise, keeping less: what is kept must fit. */
function nextEvent(entries: readonly Entry[], cut: number): number {
  let index = cut;
  while (index > 0 && index < entries.length && entries[index - 1]?.eventId === entries[index]?.eventId) index += 1;
  return index;
}

/** Where the turn begins that is cut in two; the cut itself when none is, or when its beginning is gone already. */
function splitOf(
  transcript: Transcript,
  entries: readonly Entry[],
  cut: number,
): { readonly turnStart: number; readonly isSplitTurn: boolean } {
  const first = entries[cut];
  const turnId = first?.turnId ?? transcript.runningTurn();
  const isSplitTurn =
    first === undefined ? entries.at(-1)?.turnId === turnId : first.kind !== "prompt" && first.kind !== "branch";
  if (!isSplitTurn) return { turnStart: cut, isSplitTurn };
  const start = entries.findIndex((entry) => entry.kind === "prompt" && entry.turnId === turnId);
  return { turnStart: start >= 0 ? start : cut, isSplitTurn };
}

function messagesOf(entries: readonly Entry[]): readonly Message[] {
  return entries.flatMap((entry) => entry.messages());
}

function tokensOf(entries: readonly Entry[]): number {
  return entries.reduce((tokens, entry) => tokens + allTokens(entry), 0);
}

export function newest({ read, modified }: TouchedFiles): TouchedFiles {
  return { read: read.slice(-FILES_MAX), modified: modified.slice(-FILES_MAX) };
}
