import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDaemonLog } from "./daemon-log.ts";
import { createLogReader, type LogLine } from "./read-daemon-log.ts";

const QUIET = { echo: () => undefined, redact: (text: string) => text };

async function logOf(count: number, bytesMax?: number) {
  const home = await mkdtemp(join(tmpdir(), "nomos-log-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const log = openDaemonLog(home, bytesMax === undefined ? QUIET : { ...QUIET, bytesMax });
  for (let n = 0; n < count; n += 1) log.write(`line ${n}`, n % 10 === 0 ? { code: "disk_low", n } : { n });
  await log.close();
  return { home, read: createLogReader(home) };
}

async function pages(read: ReturnType<typeof createLogReader>, limit: number, onlyProblems = false) {
  const all: LogLine[] = [];
  let before: string | null = null;
  do {
    const page = await read({ limit, before, onlyProblems });
    expect(page.lines.length).toBeLessThanOrEqual(limit);
    all.push(...page.lines);
    before = page.next;
  } while (before !== null);
  return all.map(({ message }) => message);
}

const newestFirst = (count: number, step = 1) =>
  Array.from({ length: count }, (_, n) => `line ${n * step}`).toReversed();

test("the newest lines come first, with their details, and say whether they are a problem", async () => {
  const { read } = await logOf(12);
  const { lines, next } = await read({ limit: 2, before: null, onlyProblems: false });
  expect(lines).toEqual([
    { at: expect.any(String), message: "line 11", isProblem: false, details: { n: 11 } },
    { at: expect.any(String), message: "line 10", isProblem: true, details: { n: 10, code: "disk_low" } },
  ]);
  expect(next).toMatch(/^\d+:\d+$/);
});

test("pages give every line once, through pieces and rotated files, also while more is written", async () => {
  const { read, home } = await logOf(3000, 60_000);
  const first = await read({ limit: 5, before: null, onlyProblems: false });
  const log = openDaemonLog(home, QUIET);
  for (let n = 0; n < 50; n += 1) log.write(`later ${n}`);
  await log.close();
  const second = await read({ limit: 5, before: first.next, onlyProblems: false });
  expect([...first.lines, ...second.lines].map(({ message }) => message)).toEqual(newestFirst(3000).slice(0, 10));
  const rotated = await logOf(1000, 30_000);
  for (const limit of [1, 7, 700]) expect(await pages(rotated.read, limit)).toEqual(newestFirst(1000));
  const whole = await logOf(3000);
  expect(await pages(whole.read, 700)).toEqual(newestFirst(3000));
  expect(await pages(whole.read, 7, true)).toEqual(newestFirst(300, 10));
});

test("there is no log, or a cursor that leads nowhere: an empty page", async () => {
  const { read, home } = await logOf(0);
  const empty = { lines: [], next: null };
  expect(await read({ limit: 5, before: "1:2", onlyProblems: false })).toEqual(empty);
  await rm(join(home, "logs"), { recursive: true });
  expect(await read({ limit: 5, before: null, onlyProblems: false })).toEqual(empty);
});
