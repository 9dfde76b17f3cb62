import type { LeftBranch } from "../../kernel/index.ts";
import type { LoadedEvent } from "../../turns/index.ts";
import { settingsFor } from "../compaction/settings.ts";
import { branchRequest, joinBranch } from "../compaction/summary.ts";
import { pathEvent } from "../view/path-event.ts";
import { isBlank } from "../view/texts.ts";
import { createTranscript, type Transcript } from "../view/transcript.ts";
import type { Command } from "../view/turn-notes.ts";
import { askingFor, compact, settingsOf } from "./compact.ts";
import { asked, keepText } from "./link.ts";
import { Parked, TurnFailure } from "./turn-failure.ts";
import { record, type TurnState } from "./turn-state.ts";

/** A command is a turn of its own, so that nothing else runs meanwhile. */
export async function runCommand(turn: TurnState, command: Command): Promise<void> {
  const text = command.do === "compact" ? await compactAsAsked(turn, command) : await summarizeBranch(turn, command);
  turn.link.stream(text, "message");
  const body = { text, blob: null, bytes: text.length };
  const data = { turnId: turn.order.turnId, role: "assistant", ...body } as const;
  await record(turn, [{ type: "message.completed@1", data }]);
}

async function compactAsAsked(turn: TurnState, { focus }: Pick<Command, "focus">): Promise<string> {
  const wasDone = turn.session.transcript.compaction()?.turnId === turn.order.turnId;
  const isDone = wasDone || (await compact(turn, "asked", focus));
  return isDone ? "The conversation was compacted." : "There is nothing to compact yet.";
}

/** What a rewind left is summarised for the model. A failure changes nothing: the rewind stands. */
async function summarizeBranch(turn: TurnState, command: Extract<Command, { readonly do: "branch" }>): Promise<string> {
  const { turnId } = turn.order;
  const isDone = (): boolean =>
    turn.session.transcript.entries().some((entry) => entry.kind === "branch" && entry.turnId === turnId);
  if (!isDone()) await recordBranch(turn, command);
  return isDone() ? "What came of the branch that was left is summarised." : "The branch that was left is empty.";
}

async function recordBranch(
  turn: TurnState,
  { from, focus }: Extract<Command, { readonly do: "branch" }>,
): Promise<void> {
  const { link, order } = turn;
  const summed = await summaryOf(turn, from, focus).catch((thrown: unknown) => {
    link.signal.throwIfAborted();
    if (thrown instanceof Parked) throw thrown;
    throw new TurnFailure("branch_summary_failed", thrown instanceof Error ? thrown.message : String(thrown));
  });
  if (summed === null) return;
  const { summary, files } = summed;
  const data: LeftBranch = { turnId: order.turnId, from, summary: await keepText(link, summary), files };
  const whole = { ...data, summary: { ...data.summary, text: summary } };
  await record(turn, [{ type: "context.branched@1", data }], [{ type: "context.branched@1", data: whole }]);
}

/** Null: nothing was said on the branch. */
async function summaryOf(
  turn: TurnState,
  from: string,
  focus: string | null,
): Promise<ReturnType<typeof joinBranch> | null> {
  const { windowTokens } = turn.model;
  const left = transcriptOf(await asked<readonly LoadedEvent[]>(turn.link, { do: "branch", from }));
  const settings = settingsFor(windowTokens, settingsOf(turn));
  const request = branchRequest(left, { windowTokens, settings, focus });
  if (request === null) return null;
  const answer = await askingFor(turn, "branch", { mayPark: true })(request);
  if (isBlank(answer)) throw new Error("The model gave an empty summary.");
  return joinBranch(left, answer);
}

function transcriptOf(events: readonly LoadedEvent[]): Transcript {
  const transcript = createTranscript();
  for (const event of events) transcript.add(pathEvent(event));
  return transcript;
}
