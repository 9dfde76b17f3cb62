import { expect } from "vitest";
import { saying, turnHere } from "../../../test/engine/turn-here.ts";
import { proves } from "../../../test/support/proves.ts";
import { ModelError } from "../model.ts";
import { Parked } from "./turn-failure.ts";

const HOUR_MS = 3_600_000;
const WRONG_KEY = new ModelError("auth", "other rejects the key.");
const limited = (who: string, retryAfterMs = HOUR_MS) =>
  new ModelError("rate_limit", `${who} limits the rate of requests.`, { retryAfterMs });

const WINDOW = { windowTokens: 12_000 };
/** What an answer reports that leaves no room in the window. */
const FULL = { input: 11_990, output: 5, cacheRead: 0, cacheWrite: 0 };
const LONG = "word ".repeat(1000);
const LIMITS = { compaction: { isEnabled: true, strategy: "summary", reserveTokens: 100, keepRecentTokens: 100 } };

proves("MOD-5", "a model at its limit whose fallback has a wrong key: the turn parks instead of failing", async () => {
  const turn = turnHere({ fallbacks: ["other/small"] });
  await expect(turn.run("go", [limited("test"), WRONG_KEY])).rejects.toThrow(Parked);
  expect(turn.asked).toEqual(["test/scripted", "other/small"]);
  expect(turn.parks).toMatchObject([{ reason: "test limits the rate of requests." }]);
});

proves("MOD-5", "all models are at their limits: the turn parks until the first of them resets", async () => {
  const turn = turnHere({ fallbacks: ["other/small"] });
  const answers = [limited("test", 2 * HOUR_MS), limited("other", HOUR_MS)];
  await expect(turn.run("go", answers)).rejects.toThrow(Parked);
  expect(turn.parks.map(({ waitMs }) => Math.round(waitMs / HOUR_MS))).toEqual([1]);
});

proves("MOD-5", "a limit of the summary's model: the model that answers writes the summary", async () => {
  const turn = turnHere({ ...WINDOW, limits: LIMITS, summaryModel: "cheap/tiny" });
  await turn.run(LONG, [saying("one")]);
  await turn.run(LONG, [saying("two", FULL), limited("cheap"), saying("a summary")]);
  expect(turn.asked.slice(-2)).toEqual(["cheap/tiny", "test/scripted"]);
  expect(turn.log.some(({ type }) => type === "context.compacted@1")).toBe(true);
  expect(turn.parks).toEqual([]);
});

proves("MOD-5", "a limit while a full context is compacted: an answered turn ends, and `/compact` parks", async () => {
  const turn = turnHere({ ...WINDOW, limits: LIMITS });
  await turn.run(LONG, [saying("one")]);
  await turn.run(LONG, [saying("two", FULL), limited("test")]);
  expect(turn.asked.length).toBe(3);
  expect(turn.parks).toEqual([]);
  await expect(turn.run("/compact", [limited("test")])).rejects.toThrow(Parked);
  expect(turn.parks.length).toBe(1);
});
