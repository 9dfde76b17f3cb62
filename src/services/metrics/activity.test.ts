import { expect, test } from "vitest";
import { event, makeTestHome, newId, opened } from "../../../test/support/store-home.ts";
import { throwOnFatal } from "../../../test/support/store-sqlite.ts";
import { type Fact, fact, sessionStream } from "../../kernel/index.ts";
import { openSqliteStore } from "../../store/index.ts";
import { readActivity } from "./activity.ts";

const MINUTE = 60_000;
const BEGIN = Date.parse("2026-05-01T00:00:00Z");
const WHOLE = {
  ...{ sinceMs: BEGIN, untilMs: BEGIN + 100 * MINUTE, stepMs: 15 * MINUTE },
  ...{ after: 0, before: Number.MAX_SAFE_INTEGER, withRunning: false },
};
const SPENT = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, costMicroUsd: 5 };
const USED = { contextTokens: null, contextMax: null, inputTokens: null, outputTokens: null, cost: null };

test("parts of any size add up to the whole, also for turns that lie in two of them", async () => {
  await using home = await makeTestHome();
  const store = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
  const [one, other] = [newId(), newId()];
  const versions = new Map<string, number>();
  const at = async (minute: number, id: string, given: Fact): Promise<void> => {
    const made = event(given, { at: new Date(BEGIN + minute * MINUTE).toISOString() });
    const expectedVersion = versions.get(id) ?? 0;
    versions.set(id, expectedVersion + 1);
    await store.append([{ stream: sessionStream(id), expectedVersion, events: [made] }], { fence: 0 });
  };
  const ended = (turnId: string) => fact("turn.ended@1", { turnId, outcome: "completed", error: null });
  await at(0, one, opened("one"));
  await at(0, other, opened("other"));
  await at(5, one, fact("turn.started@1", { turnId: "a" }));
  await at(10, other, fact("turn.started@1", { turnId: "b" }));
  await at(20, other, fact("usage.reported@1", { turnId: "b", ...USED, spent: SPENT }));
  await at(20, other, ended("b"));
  await at(21, other, ended("cancelled"));
  await at(50, one, ended("a"));
  await at(60, other, fact("turn.started@1", { turnId: "runs" }));

  const whole = await readActivity(store, WHOLE);
  expect(whole.next).toBeNull();
  expect(whole.parts.map(({ atMs, turns, spent }) => [(atMs - BEGIN) / MINUTE, turns, spent])).toEqual([
    [15, 2, SPENT],
    [45, 1, null],
  ]);
  const worked = whole.working.map(({ atMs, busyMs }) => [(atMs - BEGIN) / MINUTE, busyMs / MINUTE]);
  expect(worked).toEqual([
    [0, 15],
    [15, 20],
    [30, 15],
    [45, 5],
  ]);

  const sums = { turns: 0, input: 0, busy: 0 };
  for (let before: number | null = WHOLE.before; before !== null; ) {
    const part = await readActivity(store, { ...WHOLE, before }, { page: 1, pagesMax: 1, sessionsMax: 10 });
    for (const { turns, spent } of part.parts) {
      sums.turns += turns;
      sums.input += spent?.input ?? 0;
    }
    for (const { busyMs } of part.working) sums.busy += busyMs / MINUTE;
    before = part.next;
  }
  expect(sums).toEqual({ turns: 3, input: 10, busy: 55 });
  await store.close();
});
