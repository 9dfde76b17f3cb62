import type { LoadedData, LoadedFact } from "./path-event.ts";
import { createPlainEntry, type PlainEntry } from "./plain-entry.ts";
import { createBranchEntry, createPromptEntry, createSteerEntry } from "./prompt-entry.ts";
import { createStepEntry, type StepEntry } from "./step-entry.ts";
import { changed, here, push, type State } from "./transcript-state.ts";

export function startTurn(state: State, turnId: string): void {
  state.step = null;
  state.plain = null;
  const prompt = state.turns.started(turnId);
  if (prompt === null) return;
  const lateSteers = [...state.steers.values()].map((steer) => steer.text);
  state.steers.clear();
  push(state, createPromptEntry(here(state, turnId), { ...prompt, lateSteers }));
}

export function startStep(state: State, { turnId, purpose, steers, model }: LoadedData<"step.started@1">): void {
  state.turns.stepped(turnId);
  const said = steers.flatMap((steerId) => state.steers.get(steerId)?.text ?? []);
  for (const steerId of steers) state.steers.delete(steerId);
  if (said.length > 0) push(state, createSteerEntry(here(state, turnId), said));
  if (purpose !== "answer") {
    state.step = "aside";
    return;
  }
  state.model = model;
  state.step = createStepEntry(here(state, turnId));
  push(state, state.step);
}

export function endStep(state: State, data: LoadedData<"step.ended@1">): void {
  const { step } = state;
  state.step = null;
  state.turns.spent(data, step !== "aside");
  if (step === null || step === "aside") return;
  step.ended(data);
  for (const part of data.parts) if (part.kind === "call") addCallOf(state, data.turnId, part.callId, step);
  changed(state, step);
  state.turns.stepEnded(data);
  const { input, output, cacheRead, cacheWrite } = data.usage;
  const tokens = input + output + cacheRead + cacheWrite;
  const isGood = data.stop !== "error" && data.stop !== "aborted" && tokens > 0;
  if (isGood) state.usage = { model: data.model, tokens, entry: step };
}

export function addBranch(state: State, { turnId, summary }: LoadedData<"context.branched@1">): void {
  state.plain = null;
  push(state, createBranchEntry(here(state, turnId), summary.text));
}

export function addMessage(state: State, data: LoadedData<"message.completed@1">): void {
  if (state.step === "aside") return;
  if (state.step !== null) {
    state.step.said(data);
    changed(state, state.step);
    return;
  }
  if (data.role === "thought") return;
  plainOf(state, data.turnId, (plain) => plain.said(data.text));
}

export function addCall(state: State, data: LoadedData<"tool.called@1">): void {
  if (state.step === "aside") return;
  const key = callKey(data.turnId, data.callId);
  const step = state.step ?? state.calls.get(key) ?? null;
  if (step === null) {
    plainOf(state, data.turnId, (plain) => plain.called(data));
    return;
  }
  addCallOf(state, data.turnId, data.callId, step);
  step.called(data);
  changed(state, step);
}

export function addResult(state: State, data: LoadedData<"tool.ended@1">): void {
  const entry = state.calls.get(callKey(data.turnId, data.callId)) ?? state.plain;
  if (entry === null) return;
  entry.resulted(data);
  changed(state, entry);
}

/** An effect counts where no step and no reported call contains it: those of the demo and script drivers. */
export function addEffect(state: State, { type, data }: EffectFact): void {
  if (state.turns.hasSteps(data.turnId)) return;
  if (type === "effect.intended@1") {
    if (state.plain?.isCalling() !== true) plainOf(state, data.turnId, (plain) => plain.intended(data));
    return;
  }
  if (state.plain === null) return;
  if (type === "effect.output@1") state.plain.printed(data);
  else state.plain.settled(data);
  changed(state, state.plain);
}

function plainOf(state: State, turnId: string, add: (plain: PlainEntry) => void): void {
  if (state.turns.isCommand(turnId)) return;
  const { plain } = state;
  if (plain !== null && plain.turnId === turnId && !plain.isFull() && state.entries.at(-1) === plain) {
    add(plain);
    changed(state, plain);
    return;
  }
  const fresh = createPlainEntry(here(state, turnId));
  add(fresh);
  state.plain = fresh;
  push(state, fresh);
}

function addCallOf(state: State, turnId: string, callId: string, step: StepEntry): void {
  state.calls.set(callKey(turnId, callId), step);
  state.callIds.set(callId, step);
}

function callKey(turnId: string, callId: string): string {
  return `${turnId} ${callId}`;
}

type EffectFact = Extract<LoadedFact, { readonly type: "effect.intended@1" | "effect.output@1" | "effect.settled@1" }>;
