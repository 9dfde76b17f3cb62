import type { ModelRequest } from "../model.ts";
import { commandIn } from "../view/turn-notes.ts";
import { askModel } from "./ask-model.ts";
import { compact, compactIfFull } from "./compact.ts";
import { asked, keepText } from "./link.ts";
import { runCalls } from "./run-calls.ts";
import { runCommand } from "./run-command.ts";
import { systemOf, tellEnd, tellMessage, withContext } from "./tell-points.ts";
import { TurnFailure } from "./turn-failure.ts";
import { record, type TurnState } from "./turn-state.ts";

/**
 * The loop. Everything it needs to go on is in the transcript, so a turn that was cut is run again by the same function:
 * open calls first, then the next step, until the model has answered and nobody has steered since.
 */
export async function runTurn(turn: TurnState): Promise<void> {
  try {
    await runSteps(turn);
  } catch (thrown) {
    // What was said and done stays, however the turn ends.
    await record(turn, []).catch(() => undefined);
    await tellEnd(turn, thrown);
    throw thrown;
  }
  await tellEnd(turn);
}

async function runSteps(turn: TurnState): Promise<void> {
  const { order, session, link, points } = turn;
  const { transcript } = session;
  await composeIfChanged(turn);
  const command = commandIn(order.prompt);
  if (command !== null) return runCommand(turn, command);
  const { turnId, prompt } = order;
  await points.fire("turn_start", { turnId, prompt });
  if (!order.isResumed) await tellMessage(turn, { role: "user", content: [{ kind: "text", text: prompt }] });
  while (true) {
    link.signal.throwIfAborted();
    const last = transcript.lastStep();
    const calls = (last?.openCalls ?? []).filter(({ callId }) => !isEnded(turn, callId));
    if (calls.length > 0) {
      const isOver = await runCalls(turn, calls);
      await points.fire("step_end", { turnId, stop: "tool_calls" });
      if (isOver) break;
      continue;
    }
    const isAnswered = last?.stop === "stop" || last?.stop === "length" || last?.stop === "refused";
    if (isAnswered && !(await asked<boolean>(link, { do: "steered" }))) break;
    requireProgress(turn);
    await compactIfFull(turn);
    await points.fire("step_start", { turnId });
    const answer = await askModel(turn, "answer", {
      request: () => withContext(turn, requestOf(turn)),
      onOverflow: () => compact(turn, "overflow", null),
      mayPark: true,
    });
    if (answer.stop === "refused") throw new TurnFailure("model_refused", "The provider's filter stopped the answer.");
    if (answer.calls.length === 0) await points.fire("step_end", { turnId, stop: answer.stop });
  }
  await record(turn, []);
  await turn.recording;
  await compactIfFull(turn);
  await points.fire("save_point", { turnId });
}

/** Its result is there and is recorded with the next step. */
function isEnded({ unrecorded }: TurnState, callId: string): boolean {
  return unrecorded.some(({ fact }) => fact.type === "tool.ended@1" && fact.data.callId === callId);
}

function requestOf({ order, session, specs, model }: TurnState): ModelRequest {
  const { transcript } = session;
  return {
    system: transcript.system(),
    messages: transcript.messages(),
    tools: specs,
    outputTokensMax: null,
    thinking: order.limits.thinking,
    schema: order.limits.schema,
    cacheKey: `${order.sessionId}/${model.name}`,
  };
}

/** The system prompt is a fact: what the model was told can be read in the log, and a replay needs no files. */
async function composeIfChanged(turn: TurnState): Promise<void> {
  const { order, session } = turn;
  const system = await systemOf(turn);
  const before = session.transcript.systemParts();
  const isSame =
    before.length === system.length &&
    system.every((part, index) => {
      const old = before[index];
      return old !== undefined && old.name === part.name && old.source === part.source && old.text === part.text;
    });
  if (isSame) return;
  const kept = await Promise.all(system.map(async (part) => ({ ...part, ...(await keepText(turn.link, part.text)) })));
  const { turnId } = order;
  await record(
    turn,
    [{ type: "context.composed@1", data: { turnId, parts: kept } }],
    [{ type: "context.composed@1", data: { turnId, parts: system } }],
  );
}

function requireProgress(turn: TurnState): void {
  const verdict = turn.guard.step();
  if (verdict.kind === "stop") throw new TurnFailure("steps_exceeded", verdict.message);
  const { budgetMicroUsd } = turn.order.limits;
  if (budgetMicroUsd !== null && turn.spent.microUsd > budgetMicroUsd)
    throw new TurnFailure(
      "steps_exceeded",
      `The turn cost more than its budget of ${budgetMicroUsd / 1_000_000} dollars.`,
    );
}
