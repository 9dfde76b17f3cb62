import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPlainBench } from "../../../packages/aip46-conformance/src/bench/plain-bench.ts";
import { CASES, type Result, runCases } from "../../../packages/aip46-conformance/src/run-cases.ts";
import { proves } from "../../support/proves.ts";
import { startDouble } from "./double.ts";

const BROKEN_MAX_MS = 180_000;
const NUMBERS = Array.from({ length: 40 }, (_, at) => at + 1);

/** Tests the suite itself: a correct server passes, and for each case a server that gets it wrong fails. */
let folder: string;
let correct: readonly Result[] = [];
const broken = new Map<number, Result | undefined>();

// A case that fails does so by a timeout, so all servers are waited for together.
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-aip46-")));
  const judging = NUMBERS.map(async (number) => void broken.set(number, (await judged([number], [number]))[0]));
  [correct] = await Promise.all([judged([], []), ...judging]);
}, BROKEN_MAX_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function judged(faults: readonly number[], numbers: readonly number[]): Promise<readonly Result[]> {
  await using double = await startDouble({ faults, legacyFile: join(folder, `sessions-${faults.join("-")}.json`) });
  const options = { url: double.url, token: double.token, restart: double.restart, isRemote: false };
  const { bench } = await openPlainBench({ ...options, adapter: "fake", ground: null });
  return await runCases(bench, numbers, () => undefined);
}

test("there are forty cases, each once", () => {
  expect(CASES.map(({ number }) => number)).toEqual(NUMBERS);
});

proves("AIP-2", "a correct server passes every case", () => {
  expect(correct.filter(({ verdict }) => verdict !== "pass")).toEqual([]);
  expect(correct).toHaveLength(NUMBERS.length);
});

describe("a server that gets one case wrong", () => {
  for (const number of NUMBERS)
    proves("AIP-2", `a server that gets case ${number} wrong fails it`, () => {
      expect(broken.get(number)).toMatchObject({
        number,
        verdict: "fail",
        reason: expect.not.stringMatching(/fetch failed|is not a function/),
      });
    });
});

test("a case that needs a restart or the same machine is not run without it, and says so", async () => {
  await using double = await startDouble({});
  const options = { url: double.url, token: double.token, restart: null, isRemote: true };
  const { bench } = await openPlainBench({ ...options, adapter: "fake", ground: null });
  const [kill, stop] = await runCases(bench, [16, 19], () => undefined);
  expect(kill).toMatchObject({ verdict: "not run", reason: "needs the server on this machine" });
  expect(stop).toMatchObject({ verdict: "not run", reason: "needs --restart COMMAND" });
});
