import type { DriverSettings } from "../../kernel/index.ts";
import type { LoadedEvent } from "../../turns/index.ts";
import type { SessionMemory } from "../loop/turn-state.ts";
import type { AnswerPart } from "../model.ts";
import { isOwn } from "../process/memories.ts";
import { createPathLocks, toolSpecs } from "../tools/index.ts";
import { pathEvent } from "../view/path-event.ts";
import { createTranscript } from "../view/transcript.ts";
import { differenceOf } from "./compare-answers.ts";
import { createBreather } from "./recorded-model.ts";
import { toolsOf } from "./recorded-tools.ts";
import { type RecordedTurn, recordedTurns } from "./recorded-turns.ts";
import type { ReplayedTurn, ReplayReport, ReplaySource } from "./replay.ts";
import type { ReplayOrder } from "./replay-order.ts";
import { type ReplayScene, replayRun } from "./replay-run.ts";
import type { Divergence } from "./run-record.ts";

/** Of one turn: a model that never agrees must not fill the memory. */
const DIVERGENCES_MAX = 100;
const SAID_CHARS = 2000;

/**
 * Runs the engine's loop again over a recorded session: models answer as recorded, tools give the recorded results, and
 * each fact that the loop records is compared with the record. Touches nothing.
 */
export async function replaySession(source: ReplaySource, order: ReplayOrder): Promise<ReplayReport> {
  const { events } = source;
  const turns = recordedTurns(events);
  const total = events.filter(({ fact }) => fact.type === "step.ended@1").length;
  const tools = toolsOf(events);
  const breathe = createBreather();
  const others = new Map<string, Divergence[]>();
  const said = new Map<string, string>();
  const failures: unknown[] = [];
  const hear = (turnId: string, parts: readonly AnswerPart[]): void => {
    const text = parts.flatMap((part) => (part.kind === "text" ? part.text : [])).join("\n");
    if (text !== "") said.set(turnId, text.slice(0, SAID_CHARS));
  };
  let [compared, steps] = [0, 0];

  const scene: Omit<ReplayScene, "limits"> = {
    ...{ sessionId: source.sessionId, cwd: source.cwd, branch: source.branch, tools },
    specs: toolSpecs(tools),
    windowOf: windowsIn(events, order.windowOf),
    onAnswer: async ({ turnId, record }, request, parts) => {
      await breathe();
      if (order.signal.aborted) record.stop();
      steps += 1;
      order.onStep(steps, total);
      // The loop would take it for a failure of the recorded model.
      const answer = await order.ask?.ask(request).catch((thrown: unknown) => {
        failures.push(thrown);
        return record.stop();
      });
      hear(turnId, answer?.parts ?? parts);
      if (answer == null || order.ask === null) return;
      compared += 1;
      const difference = differenceOf(parts, answer.parts, order.ask);
      if (difference === null) return;
      const found = others.get(turnId) ?? [];
      others.set(turnId, found);
      const eventId = record.next()?.id ?? turnId;
      if (found.length < DIVERGENCES_MAX) found.push({ eventId, turnId, step: record.steps(), ...difference });
      if (!order.ask.isThorough) record.stop();
    },
  };

  const memory = createMemory(events);
  const replayed: ReplayedTurn[] = [];
  for (const turn of turns) {
    order.signal.throwIfAborted();
    const note = holeIn(turn, source.erased);
    const isRun = turn.isOwn && note === null;
    const limits = () => order.limits(optionsAt(events, turn.event.seq));
    const done = isRun
      ? await replayTurn({ ...scene, limits: limits() }, turn, memory, others)
      : notRun(turn, events, note);
    if (failures.length > 0) throw failures[0];
    const text = turn.isOwn ? said.get(turn.turnId) : recordedWords(turn, events);
    replayed.push({ ...done, text: text ?? null });
  }
  order.signal.throwIfAborted();
  return { turns: replayed, compared };
}

/** The session's options when a turn began: they limit its steps and its money. */
function optionsAt(events: readonly LoadedEvent[], seq: number): DriverSettings["options"] {
  const last = events.findLast(({ fact: { type }, seq: at }) => at < seq && SETTING.has(type))?.fact;
  return last?.type === "driver.configured@1" ? last.data.options : {};
}

/** A session that changes hands begins without options. */
const SETTING: ReadonlySet<string> = new Set(["driver.configured@1", "driver.switched@1"]);

type Memory = ReturnType<typeof createMemory>;

async function replayTurn(
  scene: ReplayScene,
  turn: RecordedTurn,
  memory: Memory,
  others: ReadonlyMap<string, readonly Divergence[]>,
): Promise<Omit<ReplayedTurn, "text">> {
  let steps = 0;
  let engine: Divergence | null = null;
  for (const run of turn.runs) {
    const session = memory.at(run.fromSeq, run.isResumed);
    const result = await replayRun(scene, turn, run, session, steps);
    steps = result.steps;
    engine = result.divergence;
    if (!result.isWhole) memory.forget();
    if (engine !== null) break;
  }
  const divergences = [...(others.get(turn.turnId) ?? []), ...(engine === null ? [] : [engine])];
  const is = divergences.length > 0 ? "diverged" : "same";
  return { ...shownTurn(turn, steps), calls: callsIn(turn), is, divergences, note: null };
}

/** What the loop remembers of the session, fed with the record up to a point. */
function createMemory(events: readonly LoadedEvent[]) {
  let session = newSession();
  let fed = 0;
  return {
    /** The next turn reads the record anew. */
    forget: () => {
      session = newSession();
      fed = 0;
    },
    /** `isCut`: what the process knew before was lost. */
    at: (seq: number, isCut: boolean): SessionMemory => {
      if (isCut) {
        session = newSession();
        fed = 0;
      }
      for (; fed < events.length; fed += 1) {
        const event = events[fed];
        if (event === undefined || event.seq > seq) break;
        if (!isOwn(session, event)) session.transcript.add(pathEvent(event));
      }
      session.own.clear();
      return session;
    },
  };
}

function newSession(): SessionMemory {
  return { transcript: createTranscript(), pathKey: "", upTo: 0, own: new Set(), locks: createPathLocks() };
}

function notRun(turn: RecordedTurn, events: readonly LoadedEvent[], note: string | null): Omit<ReplayedTurn, "text"> {
  const steps = events.filter(({ fact }) => fact.type === "step.ended@1" && fact.data.turnId === turn.turnId).length;
  const is = note === null ? "same" : "skipped";
  return { ...shownTurn(turn, steps), calls: callsIn(turn), is, divergences: [], note };
}

/** What another agent said after its last call. */
function recordedWords({ event, lastSeq }: RecordedTurn, events: readonly LoadedEvent[]): string | undefined {
  const facts = events.flatMap(({ fact, seq }) => (seq > event.seq && seq <= lastSeq ? [fact] : []));
  const lastCall = facts.findLastIndex(({ type }) => /^(?:tool|effect)\./.test(type));
  const words = facts
    .slice(lastCall + 1)
    .flatMap((fact) => (fact.type === "message.completed@1" && fact.data.role === "assistant" ? [fact.data.text] : []));
  return words.length === 0 ? undefined : words.join("\n").slice(0, SAID_CHARS);
}

function shownTurn({ turnId, event, isOwn }: RecordedTurn, steps: number) {
  return { turnId, eventId: event.id, kind: isOwn ? "own" : "foreign", steps } as const;
}

function callsIn({ runs }: RecordedTurn): number {
  return runs.flatMap(({ events }) => events.filter(({ fact }) => fact.type === "tool.called@1")).length;
}

function holeIn({ event, lastSeq, prompt }: RecordedTurn, erased: readonly number[]): string | null {
  if (prompt === null) return "its prompt was erased";
  const holes = erased.filter((seq) => seq > event.seq && seq < lastSeq).length;
  return holes === 0 ? null : `${holes} of its events ${holes === 1 ? "was" : "were"} erased`;
}

/** The window of each model, as its answers were recorded with it. */
function windowsIn(events: readonly LoadedEvent[], otherwise: (model: string) => number): (model: string) => number {
  const windows = new Map<string, number>();
  let model: string | null = null;
  for (const { fact } of events) {
    if (fact.type === "step.ended@1") model = fact.data.model;
    if (fact.type === "usage.reported@1" && model !== null && fact.data.contextMax !== null)
      windows.set(model, fact.data.contextMax);
  }
  return (name) => windows.get(name) ?? otherwise(name);
}
