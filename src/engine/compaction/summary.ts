import type { Message } from "../model.ts";
import { todoText } from "../view/todo-text.ts";
import { joinFiles, type TouchedFiles } from "../view/touched-files.ts";
import type { Transcript } from "../view/transcript.ts";
import { newest, type Preparation } from "./prepare.ts";
import { BRANCH_SUMMARY, FIRST_SUMMARY, focusText, NEXT_SUMMARY, SUMMARY_SYSTEM, TURN_SUMMARY } from "./prompts.ts";
import { fitPieces, piecesOf } from "./session-text.ts";

/** One question to the model. */
export interface SummaryRequest {
  readonly of: "history" | "turn" | "branch";
  readonly system: string;
  readonly text: string;
  readonly outputTokensMax: number;
}

export interface SummaryAnswers {
  /** Null: it was not asked for. */
  readonly history: string | null;
  readonly turn: string | null;
}

/** One request for what was before, and one for the beginning of a split turn; they may be asked at the same time. */
export function summaryRequests(preparation: Preparation, focus: string | null): readonly SummaryRequest[] {
  const { toSummarize, turnPrefix, previousSummary, settings } = preparation;
  const previous = previousSummary === null ? null : summaryBody(previousSummary);
  const historyMax = Math.floor(settings.reserveTokens * HISTORY_SHARE);
  const turnMax = Math.floor(settings.reserveTokens * TURN_SHARE);
  const history: SummaryRequest = {
    of: "history",
    system: SUMMARY_SYSTEM,
    text: requestText(
      preparation,
      toSummarize,
      { previous, ask: previous === null ? FIRST_SUMMARY : NEXT_SUMMARY, focus },
      historyMax,
    ),
    outputTokensMax: historyMax,
  };
  const turn: SummaryRequest = {
    of: "turn",
    system: SUMMARY_SYSTEM,
    text: requestText(preparation, turnPrefix, { previous: null, ask: TURN_SUMMARY, focus }, turnMax),
    outputTokensMax: turnMax,
  };
  return [...(toSummarize.length === 0 ? [] : [history]), ...(turnPrefix.length === 0 ? [] : [turn])];
}

/** What was left of a branch as one request; null when nothing was said on it. */
export function branchRequest(
  left: Transcript,
  { windowTokens, settings, focus }: Pick<Preparation, "windowTokens" | "settings"> & { readonly focus: string | null },
): SummaryRequest | null {
  const messages = left.messages();
  const outputTokensMax = Math.floor(settings.reserveTokens * TURN_SHARE);
  const asked = { previous: null, ask: BRANCH_SUMMARY, focus };
  const text = requestText({ windowTokens }, messages, asked, outputTokensMax);
  return messages.length === 0 ? null : { of: "branch", system: SUMMARY_SYSTEM, text, outputTokensMax };
}

/** The summary of a branch as it is recorded, and the files that were touched on it. */
export function joinBranch(
  left: Transcript,
  answer: string,
): { readonly summary: string; readonly files: TouchedFiles } {
  const files = newest(joinFiles(left.entries().map((entry) => entry.files())));
  return { summary: [answer.trim(), ...fileBlocks(files)].join("\n\n"), files };
}

function fileBlocks({ read, modified }: TouchedFiles): readonly string[] {
  return [...block("read-files", read.join("\n")), ...block("modified-files", modified.join("\n"))];
}

/** The summary as it is recorded: the answers, then the files and the open todo, which no model has to remember. */
export function joinSummary(preparation: Preparation, { history, turn }: SummaryAnswers): string {
  const { previousSummary, files, todo } = preparation;
  const before = history ?? (previousSummary === null ? "(nothing before this turn)" : pastSummary(previousSummary));
  return [
    before.trim(),
    ...(turn === null ? [] : ["---", TURN_HEADING, turn.trim()]),
    ...fileBlocks(files),
    ...block("todo", todoText(todo)),
  ].join("\n\n");
}

/** The answers that a recorded summary was joined from; a replay gives them again. */
export function answersIn(summary: string, files: TouchedFiles, todo: Preparation["todo"]): SummaryAnswers {
  const lists = [...fileBlocks(files), ...block("todo", todoText(todo))].map((text) => `\n\n${text}`).join("");
  const whole = lists !== "" && summary.endsWith(lists) ? summary.slice(0, -lists.length) : summary;
  const [history = "", turn = null] = whole.split(`\n\n---\n\n${TURN_HEADING}\n\n`, 2);
  return { history, turn };
}

/** A summary without its lists: they are made anew each time. */
export function summaryBody(summary: string): string {
  return summary.replace(/\n*<(read-files|modified-files|todo)>\n[\s\S]*?\n<\/\1>/g, "").trim();
}

/** Kept word by word; the turn that was going on then is over. */
function pastSummary(summary: string): string {
  return summaryBody(summary).replaceAll(TURN_HEADING, "# A turn after that");
}

const TURN_HEADING = "# The turn that is going on";
const HISTORY_SHARE = 0.8;
const TURN_SHARE = 0.5;
/** Fewer than the estimate has: a request that is itself too large would fail the compaction. */
const CHARS_PER_TOKEN = 3;
const TEXT_CHARS_MIN = 1000;

function requestText(
  { windowTokens }: Pick<Preparation, "windowTokens">,
  messages: readonly Message[],
  { previous, ask, focus }: { readonly previous: string | null; readonly ask: string; readonly focus: string | null },
  answerTokens: number,
): string {
  const rest = [
    ...(previous === null ? [] : [`<previous-summary>\n${previous}\n</previous-summary>`]),
    ask,
    ...(focus === null || focus.trim() === "" ? [] : [focusText(focus.trim())]),
  ].join("\n\n");
  const room = (windowTokens - answerTokens) * CHARS_PER_TOKEN - SUMMARY_SYSTEM.length - rest.length;
  const session = fitPieces(piecesOf(messages), Math.max(TEXT_CHARS_MIN, room));
  return `<session>\n${session}\n</session>\n\n${rest}`;
}

function block(name: string, content: string): readonly string[] {
  return content === "" ? [] : [`<${name}>\n${content}\n</${name}>`];
}
