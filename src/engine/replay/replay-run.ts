import type { LoadedEvent } from "../../turns/index.ts";
import type { TurnLimits, TurnOrder } from "../link/protocol.ts";
import { runTurn } from "../loop/run-turn.ts";
import { Parked, TurnFailure } from "../loop/turn-failure.ts";
import type { LoopClock, SessionMemory, TurnState } from "../loop/turn-state.ts";
import type { AnswerPart, Model, ModelRequest, ToolSpec } from "../model.ts";
import { createPoints } from "../points/index.ts";
import type { Breaker } from "../providers/index.ts";
import type { AnyTool } from "../tool.ts";
import { createRecordedGuard } from "./recorded-guard.ts";
import { recordedLink } from "./recorded-link.ts";
import { recordedModel } from "./recorded-model.ts";
import { recordedTool } from "./recorded-tools.ts";
import type { RecordedRun, RecordedTurn } from "./recorded-turns.ts";
import { createRunRecord, type Divergence, type RunRecord } from "./run-record.ts";

/** What the runs of a session's replay share. */
export interface ReplayScene {
  readonly sessionId: string;
  readonly cwd: string;
  readonly limits: TurnLimits;
  readonly tools: readonly AnyTool[];
  readonly specs: readonly ToolSpec[];
  readonly windowOf: (model: string) => number;
  readonly branch: (from: string) => Promise<readonly LoadedEvent[]>;
  /** Before each recorded answer. It may end the run with `record.diverge` or `record.stop`. */
  readonly onAnswer: (at: AnswerAt, request: ModelRequest, parts: readonly AnswerPart[]) => Promise<void>;
}

export interface AnswerAt {
  readonly turnId: string;
  readonly record: RunRecord;
}

export interface ReplayedRun {
  readonly divergence: Divergence | null;
  readonly steps: number;
  /** The loop and the record are at the same point, so that the transcript can be used on. */
  readonly isWhole: boolean;
}

/** Runs the loop on one recorded run of a turn. */
export async function replayRun(
  scene: ReplayScene,
  turn: RecordedTurn,
  run: RecordedRun,
  session: SessionMemory,
  stepsBefore: number,
): Promise<ReplayedRun> {
  const abort = new AbortController();
  const record = createRunRecord({
    ...{ turnId: turn.turnId, run, startId: turn.event.id, stepsBefore, steers: steersOf(turn) },
    abort: (reason) => abort.abort(reason),
  });
  const state = stateOf(scene, turn, run, session, record, abort);
  const ended = await runTurn(state).then(
    () => "completed",
    (thrown: unknown) => endOf(thrown, abort.signal),
  );
  if (record.divergence() === null && !record.isStopped()) compareEnds(record, run, ended);
  const divergence = record.divergence();
  return { divergence, steps: record.steps(), isWhole: divergence === null && !record.isStopped() };
}

/** A failure that is none of the loop's is a bug of ours. */
function endOf(thrown: unknown, signal: AbortSignal): string {
  if (thrown instanceof Parked) return "parked";
  if (thrown instanceof TurnFailure) return thrown.code;
  if (signal.aborted) return "stopped";
  throw thrown;
}

function compareEnds(record: RunRecord, { end }: RecordedRun, ended: string): void {
  const rest = record.rest();
  const recorded = end.is === "failed" ? end.code : end.is;
  try {
    if (rest !== null) record.diverge(rest.fact.type, `the turn ends: ${ended}`);
    if (ended !== recorded && recorded !== "stopped") record.diverge(null, `the turn ends: ${ended}`);
  } catch {
    // Noted in the record.
  }
}

function stateOf(
  scene: ReplayScene,
  turn: RecordedTurn,
  run: RecordedRun,
  session: SessionMemory,
  record: RunRecord,
  abort: AbortController,
): TurnState {
  const { end } = run;
  const modelNamed = (name: string): Model =>
    recordedModel({
      ...{ name, record, end, windowTokens: scene.windowOf(name) },
      onAnswer: (request, parts) => scene.onAnswer({ turnId: turn.turnId, record }, request, parts),
      interrupt: () => abort.abort(new Error("interrupted")),
      todo: session.transcript.todo,
      spend: (microUsd) => {
        state.spent.microUsd += microUsd;
      },
    });
  const { answering, summary } = modelsIn(run, session.transcript.model());
  const models = answering.map(modelNamed);
  const [model = modelNamed(NO_MODEL)] = models;
  const before = session.transcript.standing();
  const guard = createRecordedGuard(record, { stepsMax: scene.limits.stepsMax, stepsBefore: before.answers });
  const link = recordedLink({ record, end, signal: abort.signal, branch: scene.branch });
  const state: TurnState = {
    ...{ order: orderOf(scene, turn, run, session), link, session, models, model, clock: recordedClock(record) },
    tools: new Map(scene.tools.map((tool) => [tool.name, recordedTool(tool, { record, end, guard })])),
    guard,
    specs: scene.specs,
    summaryModel: summary === null ? null : modelNamed(summary),
    points: pointsOf(record),
    todo: { items: session.transcript.todo() },
    breakerOf: () => breakerOf(record, () => state.model.name),
    newId: numbers(),
    ...{ unsent: [], unrecorded: [], early: new Map(), recording: Promise.resolve(), limit: null },
    spent: { microUsd: before.costMicroUsd },
  };
  return state;
}

const NO_MODEL = "unknown/model";

/** Models in the order in which the run asked them: each is the fallback of the one before. */
function modelsIn(run: RecordedRun, before: string | null) {
  const names = (isAnswer: boolean) =>
    run.events.flatMap(({ fact }) =>
      fact.type === "step.started@1" && (fact.data.purpose === "answer") === isAnswer ? [fact.data.model] : [],
    );
  const answers = [...new Set(names(true))];
  const summaries = names(false);
  const answering = answers.length > 0 ? answers : [summaries[0] ?? before ?? NO_MODEL];
  const summary = summaries.find((name) => !answering.includes(name)) ?? null;
  return { answering, summary };
}

function orderOf(scene: ReplayScene, turn: RecordedTurn, run: RecordedRun, session: SessionMemory): TurnOrder {
  const composed = run.events.find(({ fact }) => fact.type === "context.composed@1")?.fact;
  return {
    ...{ sessionId: scene.sessionId, turnId: turn.turnId, cwd: scene.cwd, prompt: turn.prompt ?? "" },
    ...{ models: [], summaryModel: null, limits: scene.limits, isResumed: run.isResumed },
    system: composed?.type === "context.composed@1" ? composed.data.parts : session.transcript.systemParts(),
    ...{ pathKey: "", after: null, events: [], served: [] },
  };
}

function steersOf({ runs }: RecordedTurn): ReadonlyMap<string, string> {
  const steers = runs.flatMap(({ events }) =>
    events.flatMap(({ fact }) =>
      fact.type === "turn.steered@1" ? [[fact.data.steerId, fact.data.text] as const] : [],
    ),
  );
  return new Map(steers);
}

/** What an extension decided is in no log but in its outcome. */
function pointsOf(record: RunRecord): TurnState["points"] {
  const points = createPoints(() => undefined);
  points.on("before_compact", () => {
    const next = record.ahead("context.compacted@1");
    return next?.data.strategy === "extension" ? { summary: next.data.summary.text } : undefined;
  });
  return points;
}

/** Breakers are shared by all sessions, so the record of one shows only what they did: a model is passed over. */
function breakerOf(record: RunRecord, current: () => string): Breaker {
  const nothing = (): undefined => undefined;
  const pass = { isProbe: false, answers: nothing, succeeded: nothing, failed: nothing, aborted: nothing };
  return {
    state: () => ({ at: "closed", failures: 0 }),
    gate: () => {
      const next = record.next()?.fact;
      const isPassedOver =
        next?.type === "step.started@1" &&
        next.data.purpose === "answer" &&
        next.data.attempt > 1 &&
        next.data.model !== current();
      return isPassedOver ? { open: false, retryAtMs: 0 } : { open: true, pass };
    },
  };
}

const CALL_MS = 1000;

/** Nobody waits in a replay. Time passes only for results that took so long that they were recorded by themselves. */
function recordedClock(record: RunRecord): LoopClock {
  let nowMs = 0;
  return {
    nowMs: () => {
      if (!record.areTogether()) nowMs += CALL_MS;
      return nowMs;
    },
    random: () => 0,
    sleep: async () => undefined,
  };
}

function numbers(): () => string {
  let last = 0;
  return () => {
    last += 1;
    return `replayed-${last}`;
  };
}
