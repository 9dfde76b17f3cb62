import fc from "fast-check";
import { expect } from "vitest";
import { type Answer, callOf, doing, saying, turnHere } from "../../../test/engine/turn-here.ts";
import { proves } from "../../../test/support/proves.ts";
import type { LoadedEvent } from "../../turns/index.ts";
import { Parked } from "../loop/turn-failure.ts";
import { ModelError } from "../model.ts";
import { TOOLS } from "../tools/index.ts";
import type { ReplayReport } from "./replay.ts";
import type { AskOther } from "./replay-order.ts";
import { replaySession } from "./replay-session.ts";

const WINDOW = 10_000;
const LIMITS = {
  stepsMax: 50,
  budgetMicroUsd: null,
  thinking: "off",
  compaction: { isEnabled: true, strategy: "summary", reserveTokens: null, keepRecentTokens: null },
  schema: null,
} as const;

function replay(events: readonly LoadedEvent[], ask: AskOther | null = null): Promise<ReplayReport> {
  return replaySession(
    { sessionId: "s", cwd: "/", events, erased: [], branch: async () => [] },
    {
      limits: () => LIMITS,
      windowOf: () => WINDOW,
      ask,
      signal: new AbortController().signal,
      onStep: () => undefined,
    },
  );
}

/** Turns of the real loop in this process; each answers one prompt. A turn that fails ends as failed. */
async function recorded(
  turns: readonly (readonly Answer[])[],
  prompt = "go",
  fallbacks: readonly string[] = [],
): Promise<readonly LoadedEvent[]> {
  const here = turnHere({ tools: TOOLS, windowTokens: WINDOW, fallbacks });
  for (const answers of turns) {
    const before = here.log.length;
    await here.run(prompt, answers).catch((thrown: unknown) => {
      if (!(thrown instanceof Parked)) here.end("failed", codeOf(thrown));
    });
    expect(here.log.length).toBeGreaterThan(before);
  }
  return here.log.map((fact, n) => ({ id: `e${n + 1}`, seq: n + 1, at: "2026-01-01T00:00:00.000Z", fact }));
}

function codeOf(thrown: unknown): string {
  if (thrown instanceof Error && "code" in thrown) return String(thrown.code);
  throw thrown;
}

const states = ({ turns }: ReplayReport) => turns.map(({ is }) => is);
const found = ({ turns }: ReplayReport) => turns.flatMap(({ divergences }) => divergences);

const LONG = "word ".repeat(4000);
const FULL = { input: 7800, output: 10, cacheRead: 0, cacheWrite: 0 };

const word = fc.constantFrom("one", "two", "a.txt");
const call = fc.oneof(
  word.map((path) => callOf("read", { path })),
  word.map((command) => callOf("terminal", { command })),
  fc.tuple(word, word).map(([path, content]) => callOf("write", { path, content })),
  fc.constant("todo").map((name) => callOf(name, { items: [{ text: "x", status: "open" }] })),
  word.map((name) => callOf(`no_${name.replace(".", "_")}`, {})),
  word.map((text) => callOf("read", `{${text}`)),
);
const step: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 6, arbitrary: fc.array(call, { minLength: 1, maxLength: 4 }).map((calls) => doing(...calls)) },
  { weight: 1, arbitrary: fc.constant(new ModelError("overloaded", "busy")) },
  { weight: 1, arbitrary: fc.constant(doing({ kind: "thought", text: "hm" }, callOf("read", { path: "x" }))) },
);
const last: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 5, arbitrary: word.map((text) => saying(text)) },
  { weight: 1, arbitrary: fc.constant(new ModelError("auth", "no key")) },
  { weight: 1, arbitrary: fc.constant(saying("full", FULL)) },
);
const aTurn = fc
  .tuple(fc.array(step, { maxLength: 4 }), last)
  // Answers after the last one are for summaries.
  .map(([steps, end]) => [...steps, end, saying("a summary"), saying("another")]);

proves("REP-1", "random sessions: the loop decides on its record as it did, in every turn", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aTurn, { minLength: 1, maxLength: 4 }), fc.boolean(), async (turns, isLong) => {
      const report = await replay(await recorded(turns, isLong ? LONG : "go"));
      expect(found(report)).toEqual([]);
      expect(states(report)).toEqual(turns.map(() => "same"));
    }),
    { numRuns: 60 },
  );
});

const STORY = [
  [
    doing(callOf("read", { path: "a" }), callOf("terminal", { command: "ls" })),
    new ModelError("overloaded", "busy"),
    doing(callOf("write", { path: "b", content: "c" })),
    saying("done"),
  ],
  [saying("and now", FULL)],
];

proves("REP-1", "usage limits: left models, skipped summaries and parked turns are decided as they were", async () => {
  const limited = new ModelError("rate_limit", "full", { retryAfterMs: 3_600_000 });
  const throttled = new ModelError("rate_limit", "slow down");
  const wrongKey = new ModelError("auth", "no");
  for (const answers of [
    [saying("one", FULL), limited, limited],
    [limited, saying("by the other")],
    [limited, wrongKey],
    [limited, limited],
    [throttled, throttled, throttled, throttled, throttled, wrongKey],
  ]) {
    const report = await replay(await recorded([[saying("before")], answers], LONG.slice(0, 4000), ["other/small"]));
    expect(found(report), JSON.stringify(answers)).toEqual([]);
  }
});

proves("REP-2", "a fact that is missing from the record, or stands there twice: found where it is", async () => {
  const events = await recorded(STORY);
  const own = /^(step|message|tool|usage|context)/;
  for (const [index, event] of events.entries()) {
    if (!own.test(event.fact.type)) continue;
    const without = [...events.slice(0, index), ...events.slice(index + 1)];
    const twice = [...events.slice(0, index), { ...event, id: `${event.id}b` }, ...events.slice(index)];
    const [missing, double] = [await replay(without), await replay(twice)];
    expect({ [event.fact.type]: found(missing).length }, `without ${index}`).toEqual({ [event.fact.type]: 1 });
    expect({ [event.fact.type]: found(double).length }, `twice ${index}`).toEqual({ [event.fact.type]: 1 });
  }
});

proves("REP-2", "a changed record is found: another outcome, title, model, stop or end", async () => {
  const events = await recorded(STORY);
  const changed = async (type: string, change: (data: Record<string, unknown>) => object) => {
    const at = events.findIndex(({ fact }) => fact.type === type);
    const forged = events.map((event, index) =>
      index === at ? { ...event, fact: { ...event.fact, data: change({ ...event.fact.data }) } } : event,
    ) as readonly LoadedEvent[];
    return found(await replay(forged))[0];
  };
  const title = await changed("tool.called@1", (data) => ({ ...data, title: "something else" }));
  expect(title).toMatchObject({ in: "engine", step: 1, turnId: "t1" });
  expect(title?.recorded).toContain("something else");
  expect(title?.replayed).toContain("Read a");
  expect(
    await changed("tool.called@1", (data) => ({ ...data, input: { text: "{}", blob: null, bytes: 2 } })),
  ).toBeDefined();
  expect(await changed("step.started@1", (data) => ({ ...data, attempt: 2 }))).toBeDefined();
  expect(await changed("step.ended@1", (data) => ({ ...data, stop: "aborted" }))).toBeDefined();
  expect(
    await changed("turn.ended@1", (data) => ({ ...data, outcome: "failed", error: { code: "model_auth" } })),
  ).toMatchObject({ recorded: "the turn has failed", replayed: "the turn ends: completed" });
});

proves(
  "REP-4",
  "another model: asked with the recorded history; the first other decision of a turn is told",
  async () => {
    const events = await recorded(STORY);
    const asked: string[] = [];
    const other = (more: Partial<AskOther>): AskOther => ({
      ...{ model: "x/y", isThorough: false, callsOnly: false },
      ask: async ({ messages }) => {
        asked.push(JSON.stringify(messages));
        return { parts: [callOf("read", { path: "a" }), callOf("terminal", '{ "command":"ls"}')], usage: FULL };
      },
      ...more,
    });
    const report = await replay(events, other({}));
    // The first answer is the same but for the spelling of its input; the second differs, so the turn ends there.
    expect(found(report)).toMatchObject([
      { turnId: "t1", step: 3, in: "calls" },
      { turnId: "t2", step: 1, in: "calls", recorded: "and now" },
    ]);
    expect(report.compared).toBe(3);
    expect(asked[1]).toContain("no run here");
    const all = await replay(events, other({ isThorough: true }));
    expect(found(all).map(({ step: n }) => n)).toEqual([3, 4, 1]);
    const words = async (callsOnly: boolean) =>
      found(await replay(events, other({ isThorough: true, callsOnly, ask: async () => SAYS })));
    expect((await words(false)).map((one) => one.in)).toEqual(["calls", "calls", "text", "text"]);
    expect((await words(true)).map((one) => one.in)).toEqual(["calls", "calls"]);
  },
);

const SAYS = { parts: [{ kind: "text", text: "something else" }], usage: FULL } as const;
