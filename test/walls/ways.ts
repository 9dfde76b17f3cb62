import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { eventsOf, expectOk, linesOf, prompt, type Session, start } from "../e2e/support/talk.ts";
import { sampled } from "../support/sampled.ts";
import { type AttemptGroup, idOf } from "./attempt.ts";
import { layBatch, type Tried } from "./batch.ts";
import { makeWorld, type World } from "./world.ts";

const STEP = 3;

/** In a normal run every third attempt of each group; all of the groups that are named. */
export function someOf(groups: readonly AttemptGroup[], whole: readonly string[] = []): readonly AttemptGroup[] {
  const isTaken = (group: string, at: number): boolean => whole.includes(group) || at % STEP === 0;
  const few = groups.map((group) => ({ ...group, attempts: group.attempts.filter((_, at) => isTaken(group.id, at)) }));
  return sampled(groups, few);
}

/** Runs a script in a test setup, and returns when all its processes should be gone. */
export type Way = (world: World, script: string) => Promise<void>;

const BATCH_MAX_MS = 160_000;
const FAKE_AGENT = join(import.meta.dirname, "../fixtures/fake-acp-agent.ts");

/** Same user, same files, no walls. */
const withoutWalls: Way = async ({ work, env }, script) => {
  const { stdout } = await promisify(execFile)("sh", [script], { cwd: work, env, timeout: BATCH_MAX_MS });
  expect(stdout).toContain("finished");
};

/** A session's command, run by the daemon. */
export const byCommand: Way = async (world, script) => {
  const { id } = await start(world.daemon, { adapter: "demo", cwd: world.work, sandbox: "strict" });
  await finish(world, id, `run sh ${script} 2>&1`);
};

/** A driver that runs it itself, with its session's token and a way to the daemon. */
export const byDriver: Way = async (world, script) => {
  const file = world.known["DRIVER"] ?? "";
  writeFileSync(file, DRIVER);
  const { id } = await start(world.daemon, { adapter: "script", file, cwd: world.work, sandbox: "strict" });
  await finish(world, id, script);
};

const DRIVER = `import { execFile } from "node:child_process";
export default ({ input, say }) => new Promise((resolve) =>
  execFile("sh", [input], (error, stdout, stderr) => resolve(say(stdout + stderr))));
`;

/** A foreign agent with a way to the daemon's tools. */
export const byAgent: Way = async (world, script) => {
  const { id } = await start(world.daemon, { adapter: "fake", cwd: world.work, sandbox: "strict" });
  await finish(world, id, `shell sh ${script} 2>&1`);
};

async function finish(world: World, id: string, text: string): Promise<void> {
  const { turnId } = await prompt(world.daemon, id, text);
  const waited = `/sessions/${id}/wait?turnId=${turnId}&timeoutMs=${BATCH_MAX_MS}`;
  const { turn } = expectOk(await world.daemon.call<{ turn: { outcome: string } }>("GET", waited));
  const seen = { outcome: turn.outcome, lines: (await linesOf(world.daemon, id)).join("\n") };
  expect(seen, JSON.stringify(await eventsOf(world.daemon, id)).slice(-3000)).toMatchObject({
    outcome: "completed",
    lines: expect.stringContaining("finished"),
  });
  expectOk(await world.daemon.call<Session>("POST", `/sessions/${id}/kill`));
}

/** Runs all attempts in a setup of their own. */
export async function tryAll(way: Way, groups: readonly AttemptGroup[]): Promise<readonly Tried[]> {
  const config = { drivers: { fake: { command: process.execPath, args: [FAKE_AGENT] } } };
  await using world = await makeWorld({ config: () => config });
  await using batch = layBatch(world, groups);
  await way(world, batch.script);
  return await batch.judge();
}

/**
 * Without walls, to prove that an attempt works. On a busy machine one may be too late or run out of memory: failed
 * ones are tried once more.
 */
export async function tryControl(groups: readonly AttemptGroup[]): Promise<readonly Tried[]> {
  const first = await tryAll(withoutWalls, groups);
  const missed = new Set(first.filter(({ got }) => got !== "out").map(({ id }) => id));
  if (missed.size === 0) return first;
  const again = groups.map((group) => ({
    ...group,
    attempts: group.attempts.filter((attempt) => missed.has(idOf(group, attempt))),
  }));
  const second = await tryAll(withoutWalls, again);
  return first.map((one) => second.find(({ id }) => id === one.id) ?? one);
}

/** The attempts that apply to this machine and user. */
export function possible(groups: readonly AttemptGroup[], there: (path: string) => boolean): readonly AttemptGroup[] {
  const isRoot = process.getuid?.() === 0;
  return groups.map((group) => ({
    ...group,
    attempts: group.attempts.filter(
      ({ asRoot, about }) => (isRoot || asRoot === undefined) && (about === undefined || there(about)),
    ),
  }));
}

/** The attempts with an unexpected result, with their output. */
export function unlike(tried: readonly Tried[], got: Tried["got"]): string[] {
  return tried
    .filter((one) => one.got !== got)
    .map((one) => `${one.id} ${one.got}: ${one.printed.slice(0, SHOWN_CHARS)}`);
}

const SHOWN_CHARS = 600;

export function countBy(groups: readonly AttemptGroup[], tried: readonly Tried[]): string {
  const lines = groups.map((group) => {
    const ids = new Set(group.attempts.map((attempt) => idOf(group, attempt)));
    const mine = tried.filter(({ id }) => ids.has(id));
    const out = mine.filter(({ got }) => got === "out").length;
    return `${group.title}: ${mine.length} tried, ${out} got out`;
  });
  return [...lines, `all: ${tried.length} tried, ${tried.filter(({ got }) => got === "out").length} got out`].join(
    "\n",
  );
}
