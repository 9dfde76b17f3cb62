import type { TurnLimits } from "../src/engine/link/protocol.ts";
import { replaySession } from "../src/engine/replay/replay-session.ts";
import { pathEvent } from "../src/engine/view/path-event.ts";
import { createTranscript } from "../src/engine/view/transcript.ts";
import type { Fact } from "../src/kernel/index.ts";
import type { LoadedEvent } from "../src/turns/index.ts";
import { type Benchmark, interleave, median, timedMs } from "./harness.ts";

const TURNS = 20;
const STEPS = 50;
const RESULT_CHARS = 2000;

/** A recorded session replayed by the engine's loop, against folding its transcript once without the loop. */
export const replayBenchmark: Benchmark = {
  name: "replay",
  run: async ({ quick }) => {
    const events = sessionOf(quick ? TURNS / 10 : TURNS);
    const steps = events.filter(({ fact }) => fact.type === "step.ended@1").length;
    const per1000 = (ms: number): number => (ms / steps) * 1000;
    const samples = await interleave(quick ? 2 : 5, {
      replay: () => timedMs(() => replayed(events)),
      fold: () => timedMs(async () => folded(events)),
    });
    return [
      {
        name: "replay.steps",
        what: "replay of 1,000 recorded steps, each with one call and a result of 2 KB; at most 1,000 ms is 1,000 steps/s",
        unit: "ms",
        value: per1000(median(samples.replay)),
        baseline: { what: "one fold of the same events, without the loop", value: per1000(median(samples.fold)) },
        aim: { valueAtMost: 1000 },
        details: { steps, stepsPerSecond: Math.round((steps / median(samples.replay)) * 1000) },
      },
    ];
  },
};

const LIMITS: TurnLimits = {
  ...{ stepsMax: 1000, budgetMicroUsd: null, thinking: "off", schema: null },
  compaction: { isEnabled: true, strategy: "summary", reserveTokens: null, keepRecentTokens: null },
};

async function replayed(events: readonly LoadedEvent[]): Promise<void> {
  const { turns } = await replaySession(
    { sessionId: "s", cwd: "/", events, erased: [], branch: async () => [] },
    {
      ...{ limits: () => LIMITS, ask: null, windowOf: () => 10_000_000, onStep: () => undefined },
      signal: new AbortController().signal,
    },
  );
  const diverged = turns.find(({ is }) => is !== "same");
  if (diverged !== undefined) throw new Error(`the replay diverged: ${JSON.stringify(diverged)}`);
}

function folded(events: readonly LoadedEvent[]): void {
  const transcript = createTranscript();
  for (const event of events) transcript.add(pathEvent(event));
  transcript.messages();
}

function sessionOf(turns: number): readonly LoadedEvent[] {
  const facts = Array.from({ length: turns }, (_, n) => turnOf(`t${n}`)).flat();
  return facts.map((fact, n) => ({ id: `e${n}`, seq: n + 1, at: "2026-01-01T00:00:00.000Z", fact }));
}

function turnOf(turnId: string): readonly Fact[] {
  const text = (given: string) => ({ text: given, blob: null, bytes: given.length });
  const model = "bench/model";
  const usage = { input: 1000, output: 10, cacheRead: 0, cacheWrite: 0 };
  const ended = { usage, costMicroUsd: null, error: null, firstTokenMs: 1, ms: 1 };
  const reported = { contextTokens: 1010, contextMax: 10_000_000, inputTokens: null, outputTokens: null, cost: null };
  const step = (stepId: string, said: readonly Fact[], parts: readonly object[], stop: string) => [
    { type: "step.started@1", data: { turnId, stepId, model, purpose: "answer", attempt: 1, steers: [] } },
    ...said,
    { type: "step.ended@1", data: { turnId, stepId, model, ...ended, stop, parts } },
    { type: "usage.reported@1", data: { turnId, ...reported } },
  ];
  const calls = Array.from({ length: STEPS }, (_, n) => {
    const callId = `call-${turnId}-${n}`;
    const path = `file-${n}.txt`;
    const title = `Read ${path}`;
    const input = text(JSON.stringify({ path }));
    const called = { type: "tool.called@1", data: { turnId, callId, title, kind: "read", places: [], input } };
    const output = text(`${n} ${"x".repeat(RESULT_CHARS)}`);
    return [
      ...step(`${turnId}-${n}`, [called as Fact], [{ kind: "call", callId, name: "read", meta: null }], "tool_calls"),
      { type: "tool.ended@1", data: { turnId, callId, title, outcome: "done", places: [], diffs: [], output } },
    ];
  });
  const said = { type: "message.completed@1", data: { turnId, role: "assistant", ...text("done") } };
  return [
    { type: "turn.admitted@1", data: { turnId, prompt: "go", blob: null, bytes: 2, queued: false } },
    { type: "turn.started@1", data: { turnId } },
    ...calls.flat(),
    ...step(`${turnId}-last`, [said as Fact], [{ kind: "text", meta: null }], "stop"),
    { type: "turn.ended@1", data: { turnId, outcome: "completed", error: null } },
  ] as readonly Fact[];
}
