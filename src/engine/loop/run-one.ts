import type { EffectResult, KnownCall } from "../../turns/index.ts";
import type { Call } from "../model.ts";
import type { AnyTool, ToolResult } from "../tool.ts";
import { checkInput, parseInput } from "../tools/index.ts";
import { callName, type OpenCall } from "../view/step-entry.ts";
import { asked } from "./link.ts";
import { guardedLink, NO_REASON } from "./tell-points.ts";
import type { TurnState } from "./turn-state.ts";
import { againKey, callKey, createWorld } from "./world.ts";

/** Looks begin while their step is being recorded: they change nothing, so nothing has to be durable before them. */
export function startReads(turn: TurnState, stepId: string, calls: readonly Call[]): void {
  turn.early.clear();
  for (const call of calls) {
    const tool = turn.tools.get(call.name);
    if (tool?.permission !== "read" || tool.mode !== "parallel") return;
    const result = runOne(turn, { ...call, key: callName(stepId, call.callId) });
    result.catch(() => undefined);
    turn.early.set(call.callId, result);
  }
}

/** Runs one call: checked, guarded, and not done again if it was done before a restart. */
export async function runOne(turn: TurnState, call: OpenCall): Promise<ToolResult> {
  const { callId, name } = call;
  const result = await runChecked(turn, call);
  const { content, isError } = result;
  await turn.points.fire("tool_end", { turnId: turn.order.turnId, result: { callId, name, content, isError } });
  return result;
}

async function runChecked(turn: TurnState, call: OpenCall): Promise<ToolResult> {
  const tool = turn.tools.get(call.name);
  if (tool === undefined)
    return failed(`There is no tool ${call.name}. The tools are: ${[...turn.tools.keys()].join(", ")}.`);
  const parsed = parseInput(tool, call.input);
  if ("problem" in parsed) return failed(parsed.problem);
  const { turnId } = turn.order;
  const of = { turnId, callId: call.callId, name: call.name };
  const guard = await turn.points.fire("tool_call", { ...of, input: parsed.input });
  if (guard?.block === true) return failed(`Blocked: ${guard.reason ?? NO_REASON}`);
  const rewritten = guard?.input === undefined ? parsed : checkInput(tool, guard.input);
  if ("problem" in rewritten) return failed(rewritten.problem);
  await turn.points.fire("tool_start", { ...of, input: rewritten.input });
  const result = await runTool(turn, call, tool, rewritten.input);
  const patch = await turn.points.fire("tool_result", { ...of, result });
  return patch ?? result;
}

async function runTool(turn: TurnState, call: OpenCall, tool: AnyTool, input: never): Promise<ToolResult> {
  const { link, order, session, todo } = turn;
  const { key } = call;
  // An append may fail and the next one succeed: what was done must not be missing from what the model is told.
  if (tool.permission !== "read") await turn.recording;
  const known = { do: "known", key: callKey(key, 1) } as const;
  const before = order.isResumed ? await asked<KnownCall | null>(link, known) : null;
  const done = before?.result ?? null;
  // What was done before a restart is not done again, unless doing it twice is the same as once.
  if (before !== null && done !== null && (done.outcome !== "failed" || tool.redo !== "safe"))
    return earlierResult(tool, done, before.isUnknown);
  const world = createWorld(guardedLink(turn, call), call.callId, done === null ? key : againKey(key), todo);
  try {
    return await tool.run(input, {
      callId: call.callId,
      cwd: order.cwd,
      signal: link.signal,
      world,
      locks: session.locks,
    });
  } catch (thrown) {
    link.signal.throwIfAborted();
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    await turn.points.fire("tool_error", {
      turnId: order.turnId,
      callId: call.callId,
      name: call.name,
      input,
      message,
    });
    return failed(message);
  }
}

/** The result of a call whose effect an earlier run of the turn has settled, before the call's end was recorded. */
function earlierResult({ effects }: AnyTool, effect: EffectResult, isUnknown: boolean): ToolResult {
  const { outcome, output } = effect;
  const isPart = outcome === "done" && effects === "many";
  const what = isPart ? PART_DONE : spellEarlier(effect, isUnknown);
  return {
    content: [{ kind: "text", text: output === "" ? what : `${what}\n${output}` }],
    isError: outcome !== "done" || isPart,
  };
}

const LOOK_FIRST = "Look at what it did before you repeat it.";
const PART_DONE = `The session was restarted during this call, and at least a part of it was done. ${LOOK_FIRST}`;

function spellEarlier({ outcome, exitCode, message }: EffectResult, isUnknown: boolean): string {
  if (outcome === "refused") return `This was not done: ${message ?? "it was refused"}.`;
  const isKilled = outcome === "failed" && exitCode === null && message === null;
  if (isUnknown || isKilled)
    return `The session was restarted while this ran, so its outcome is unknown. ${LOOK_FIRST}`;
  const end = exitCode === null ? "" : ` with exit code ${exitCode}`;
  const why = message === null ? "" : `: ${message}`;
  return `This ${outcome === "done" ? "was done" : "failed"}${end} before the session was restarted${why}.`;
}

function failed(message: string): ToolResult {
  return { content: [{ kind: "text", text: message }], isError: true };
}
