import type { DriverFact, StepPart, StepPurpose, StepStop } from "../../kernel/index.ts";
import type { BegunStep } from "../../turns/index.ts";
import { type AnswerPart, type Call, ModelError, type ModelRequest, type Stop, type Usage } from "../model.ts";
import { costMicroUsd, NO_USAGE } from "../providers/index.ts";
import { parseInput } from "../tools/index.ts";
import type { LoadedFact } from "../view/path-event.ts";
import { contextTokens } from "../view/tokens.ts";
import { asked, keepText } from "./link.ts";
import { startReads } from "./run-one.ts";
import { tellMessage } from "./tell-points.ts";
import { addOwn, record, recordLater, type TurnState, takeWaiting } from "./turn-state.ts";

/** What a model answered in one step, as it is recorded. */
export interface StepAnswer {
  readonly stop: Stop;
  readonly text: string;
  readonly calls: readonly Call[];
}

export interface Asking {
  readonly purpose: StepPurpose;
  readonly attempt: number;
  readonly request: () => Promise<ModelRequest>;
  /** Called when the first part of an answer arrives. */
  readonly onAnswer: () => void;
}

/** The answer as far as it has come. */
interface Draft {
  readonly parts: AnswerPart[];
  /** The text of the part that is on its way. */
  open: string;
  firstTokenMs: number | null;
  usage: Usage;
  stop: Stop;
}

/**
 * One model round: its start is recorded with the steering messages that it contains, its answer in one append at the end.
 * A failed one leaves only its error; an aborted one what was said so far. Throws a `ModelError` or the abort's reason.
 */
export async function runStep(turn: TurnState, asking: Asking): Promise<StepAnswer> {
  const { model, clock } = turn;
  const { purpose, attempt } = asking;
  const stepId = turn.newId();
  await beginStep(turn, { stepId, model: model.name, purpose, attempt });
  const startedMs = clock.nowMs();
  const draft: Draft = { parts: [], open: "", firstTokenMs: null, usage: NO_USAGE, stop: "stop" };
  const end = (stop: StepStop, error: ModelError | null, goesOn = false): Promise<void> =>
    recordEnd(turn, { stepId, purpose, stop, error, goesOn, ms: clock.nowMs() - startedMs }, draft);
  try {
    await read(turn, asking, draft, startedMs);
  } catch (thrown) {
    if (turn.link.signal.aborted) {
      if (draft.open.trim() !== "") draft.parts.push({ kind: "text", text: draft.open });
      withUniqueCalls(turn, draft, stepId);
      await end("aborted", null);
      throw thrown;
    }
    const error =
      thrown instanceof ModelError ? thrown : new ModelError("malformed", String(thrown), { cause: thrown });
    draft.parts.length = 0;
    await end("error", error);
    throw error;
  }
  withUniqueCalls(turn, draft, stepId);
  const calls = draft.parts.filter((part) => part.kind === "call");
  await tellAnswer(turn, purpose, draft);
  startReads(turn, stepId, calls);
  await end(draft.stop, null, calls.length > 0);
  return {
    stop: draft.stop,
    calls,
    text: draft.parts.flatMap((part) => (part.kind === "text" ? part.text : [])).join(""),
  };
}

async function tellAnswer({ points, order, model }: TurnState, purpose: StepPurpose, draft: Draft): Promise<void> {
  const { turnId } = order;
  const { stop, usage, parts } = draft;
  await points.fire("after_response", { turnId, model: model.name, stop, usage });
  if (purpose !== "answer") return;
  await points.fire("message_end", { turnId, message: { role: "assistant", content: parts } });
}

async function beginStep(turn: TurnState, step: StartedStep): Promise<void> {
  const { link, session, order } = turn;
  const waiting = takeWaiting(turn);
  const { at, steers, before } = await asked<BegunStep>(link, { do: "step", step, before: waiting.facts });
  waiting.recorded(before);
  for (const { steerId, text } of steers) {
    const data = { turnId: order.turnId, steerId, text, blob: null, bytes: text.length };
    addOwn(session, { ...at, id: steerId, fact: { type: "turn.steered@1", data } });
    await tellMessage(turn, { role: "user", content: [{ kind: "text", text }] });
  }
  const data = { turnId: order.turnId, ...step, steers: steers.map(({ steerId }) => steerId) };
  addOwn(session, { ...at, fact: { type: "step.started@1", data } });
}

interface StartedStep {
  readonly stepId: string;
  readonly model: string;
  readonly purpose: StepPurpose;
  readonly attempt: number;
}

async function read(
  turn: TurnState,
  { purpose, request: requestNow, onAnswer }: Asking,
  draft: Draft,
  startedMs: number,
): Promise<void> {
  const { link, model, clock, points } = turn;
  const { turnId } = turn.order;
  const request = await requestNow();
  await points.fire("before_request", { turnId, model: model.name, request });
  if (purpose === "answer") await points.fire("message_start", { turnId, role: "assistant" });
  const hasFrames = purpose === "answer" && points.has("message_frame");
  for await (const part of model.stream(request, link.signal)) {
    if (draft.firstTokenMs === null) onAnswer();
    draft.firstTokenMs ??= clock.nowMs() - startedMs;
    switch (part.kind) {
      case "delta":
        if (hasFrames) await points.fire("message_frame", { turnId, of: part.of, text: part.text });
        if (part.of === "text") draft.open += part.text;
        if (purpose === "answer") link.stream(part.text, part.of === "text" ? "message" : "thought");
        break;
      case "part":
        if (part.part.kind === "text") draft.open = "";
        draft.parts.push(part.part);
        break;
      case "end":
        draft.usage = part.usage;
        draft.stop = part.stop;
    }
  }
  link.signal.throwIfAborted();
}

/** Some endpoints count their calls anew in each answer; others refuse a request in which two calls have one id. */
function withUniqueCalls({ session }: TurnState, draft: Draft, stepId: string): void {
  const seen = new Set<string>();
  for (const [index, part] of draft.parts.entries()) {
    if (part.kind !== "call") continue;
    const isTaken = seen.has(part.callId) || session.transcript.hasCall(part.callId);
    const isPlain = /^[\w-]{6,64}$/.test(part.callId) && !isTaken;
    const callId = isPlain ? part.callId : `call_${stepId.slice(-12)}_${index}`;
    seen.add(callId);
    draft.parts[index] = { ...part, callId };
  }
}

interface EndedStep {
  readonly stepId: string;
  readonly purpose: StepPurpose;
  readonly stop: StepStop;
  readonly error: ModelError | null;
  /** Its calls are run next: their effects are durable after it, so nobody waits for it. */
  readonly goesOn: boolean;
  readonly ms: number;
}

const ERROR_CHARS = 2000;

async function recordEnd(turn: TurnState, ended: EndedStep, draft: Draft): Promise<void> {
  const { order, model } = turn;
  const { turnId } = order;
  const { stepId, purpose, stop, error, ms } = ended;
  const cost = model.price === null ? null : costMicroUsd(model.price, draft.usage);
  turn.spent.microUsd += cost ?? 0;
  const parts = purpose === "answer" ? draft.parts : [];
  const said = await Promise.all(parts.map((part) => factOf(turn, part)));
  const end: DriverFact = {
    type: "step.ended@1",
    data: {
      ...{ turnId, stepId, model: model.name, usage: draft.usage, costMicroUsd: cost, stop },
      parts: parts.map(partOf),
      error: error === null ? null : { class: error.errorClass, message: error.message.slice(0, ERROR_CHARS) },
      firstTokenMs: draft.firstTokenMs === null ? null : Math.round(draft.firstTokenMs),
      ms: Math.round(ms),
    },
  };
  const rest = [end, ...(purpose === "answer" && error === null ? [usageOf(turn, draft.usage)] : [])];
  const loaded = [...said.map((fact, index) => wholeFact(fact, parts[index])), ...rest];
  if (ended.goesOn) recordLater(turn, [...said, ...rest], loaded);
  else await record(turn, [...said, ...rest], loaded);
}

/** Of a long text the log's fact has only the beginning; the transcript needs all of it. */
function wholeFact(fact: DriverFact, part: AnswerPart | undefined): LoadedFact {
  if (fact.type === "message.completed@1" && part !== undefined && part.kind !== "call")
    return { ...fact, data: { ...fact.data, text: part.text } };
  if (fact.type === "tool.called@1" && fact.data.input !== null && part?.kind === "call")
    return { ...fact, data: { ...fact.data, input: { ...fact.data.input, text: part.input } } };
  return fact;
}

async function factOf(turn: TurnState, part: AnswerPart): Promise<DriverFact> {
  const { turnId } = turn.order;
  if (part.kind !== "call") {
    const role = part.kind === "text" ? "assistant" : "thought";
    return { type: "message.completed@1", data: { turnId, role, ...(await keepText(turn.link, part.text)) } };
  }
  const input = await keepText(turn.link, part.input);
  const kind = turn.tools.get(part.name)?.permission ?? "other";
  return {
    type: "tool.called@1",
    data: { turnId, callId: part.callId, title: titleOf(turn, part), kind, places: [], input },
  };
}

const TITLE_CHARS = 200;

export function titleOf(turn: TurnState, { name, input }: Call): string {
  const tool = turn.tools.get(name);
  const parsed = tool === undefined ? null : parseInput(tool, input);
  const title = tool !== undefined && parsed !== null && "input" in parsed ? tool.title(parsed.input) : name;
  return title.slice(0, TITLE_CHARS);
}

function partOf(part: AnswerPart): StepPart {
  const meta = part.meta === undefined ? null : { ...part.meta };
  return part.kind === "call"
    ? { kind: "call", callId: part.callId, name: part.name, meta }
    : { kind: part.kind, meta };
}

/** How full the context is, for screens. */
function usageOf(turn: TurnState, usage: Usage): DriverFact {
  const told = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
  const { order, model, session, specs } = turn;
  const contextTokensNow = told > 0 ? told : contextTokens(session.transcript, { model: model.name, tools: specs });
  const none = { inputTokens: null, outputTokens: null, cost: null };
  return {
    type: "usage.reported@1",
    data: { turnId: order.turnId, contextTokens: contextTokensNow, contextMax: model.windowTokens, ...none },
  };
}
