import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  approvalsOf,
  type EndedTurn,
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectSound,
  linesOf,
  pendingOf,
  prompt,
  show,
  start,
  turn,
} from "../e2e/support/talk.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { SHELL_SLICE } from "../walls/attempts/all.ts";
import { tryAll, tryControl, unlike } from "../walls/ways.ts";
import { HOSTILE_COMMANDS } from "./hostile-commands.ts";
import { packagesOf } from "./install.ts";
import { type Traces, tracesWhen } from "./leftovers.ts";
import { proveDashboard } from "./prove-dashboard.ts";
import { proveGoverned } from "./prove-governed.ts";
import { hostileProblems } from "./prove-hostile.ts";
import { proveTerminal } from "./prove-terminal.ts";
import { type Recipe, recipeOf } from "./recipes.ts";
import { type AgentRecord, VERBS, type Verb, writeRecord } from "./record.ts";
import { type Stage, setStage } from "./stage.ts";

/** Drives one real agent through a real daemon. The results fill the table of agents. */
export function proveAgent(slug: string): void {
  const recipe = recipeOf(slug);
  const seen: AgentRecord["verbs"] = {};
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage(recipe);
  });
  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
    if (process.env["NOMOS_AGENTS_RECORD"] !== "1") return;
    writeRecord({ agent: slug, packages: [...packagesOf(slug)], verbs: seen });
  });

  const proveVerb = (verb: Verb, prove: (stage: Stage, recipe: Recipe) => Promise<Seen>): void => {
    test(
      `${slug} ${verb}: ${VERBS[verb]}`,
      async ({ onTestFailed }) => {
        onTestFailed(() =>
          console.error([...stage.model.story().slice(-30), stage.daemon().printed().slice(-2000)].join("\n")),
        );
        const date = new Date().toISOString().slice(0, "2026-01-01".length);
        // Counts as failed until it has ended, also when it never ends.
        seen[verb] = { works: "fails", note: "", date };
        const found = await prove(stage, recipe);
        await expectNothingLeft(stage);
        seen[verb] = { ...found, date };
      },
      VERB_MAX_MS + cyclesAsked() * CYCLE_MAX_MS,
    );
  };
  describe(slug, () => {
    proveVerb("check", proveCheck);
    proveVerb("write", proveWrite);
    proveVerb("reject", proveReject);
    proveVerb("cancel", proveCancel);
    proveVerb("tools", proveTools);
    proveVerb("parallel", proveParallel);
    proveVerb("agentKilled", proveAgentKilled);
    proveVerb("daemonKilled", proveDaemonKilled);
    proveVerb("resume", proveResume);
    proveVerb("walls", proveWalls);
    proveVerb("cycles", proveCycles);
    test(
      `${slug}: a person talks to it in a terminal, answers its questions and says no`,
      async () => {
        await proveTerminal(stage, recipe);
        await expectNothingLeft(stage);
      },
      VERB_MAX_MS,
    );
    // The proof answers questions; an agent that never asks has none.
    if (recipe.asksOn !== null)
      proves.skipIf(!needs("chromium"))(
        "WB-6",
        `${slug}: a person drives it in the dashboard, from the start to the kill`,
        async () => {
          await proveDashboard(stage, recipe);
          await expectNothingLeft(stage);
        },
        VERB_MAX_MS,
      );
    if (GOVERNED.includes(slug))
      proves(
        "GW-16",
        `${slug}: on a ticket, told to leave its scope, delete, commit elsewhere and edit the law: refused and told`,
        async () => {
          await proveGoverned(stage, recipe);
          // Git's folders of the daemon stay, empty: so this comes last.
          const { processes } = await tracesWhen(stage, (traces) => traces.processes.length === 0);
          expect(processes).toEqual([]);
        },
        2 * VERB_MAX_MS,
      );
    test(`${slug}: the log passes every check afterwards`, () => expectSound(stage.daemon()));
  });
}

const GOVERNED: readonly string[] = ["claude", "codex", "opencode"];

type Seen = { readonly works: "yes" | "no"; readonly note: string };

const SANDBOX = process.env["NOMOS_AGENTS_SANDBOX"] ?? "off";
const YES: Seen = { works: "yes", note: "" };
const HELLO = "@script\nsay hello";
const INTERRUPT_MAX_MS = 4000;
const PARALLEL = 5;
const FEW_CYCLES = 3;
/** Five sessions at once, on a machine that may be busy. */
const TURN_MAX_MS = 100_000;
const VERB_MAX_MS = 180_000;
const CYCLE_MAX_MS = 10_000;

function cyclesAsked(): number {
  return Number(process.env["NOMOS_AGENTS_CYCLES"] ?? FEW_CYCLES);
}

async function proveCheck({ daemon }: Stage, { slug }: Recipe): Promise<Seen> {
  const check = expectOk(await daemon().call("GET", `/api/drivers/${slug}/check`));
  expect(check).toMatchObject({ ok: true, from: "home", problem: null });
  return YES;
}

async function proveWrite(stage: Stage, recipe: Recipe): Promise<Seen> {
  const { id, cwd } = await begin(stage, recipe);
  const file = join(cwd, "hello.txt");
  expect(await allowed(stage, id, `@script\nwrite ${file} hello`)).toMatchObject({ outcome: "completed" });
  expect(await readFile(file, "utf8")).toBe("hello");
  const events = await eventsOf(stage.daemon(), id);
  expect(events.filter(({ type }) => type === "tool.ended@1").at(-1)?.data).toMatchObject({ outcome: "done" });
  await end(stage, id);
  return YES;
}

async function proveReject(stage: Stage, recipe: Recipe): Promise<Seen> {
  const { id, cwd } = await start(stage.daemon(), { adapter: recipe.slug, cwd: await stage.folder() });
  const file = join(cwd, "forbidden.txt");
  const { turnId } = await prompt(stage.daemon(), id, `@script\n${recipe.asksOn ?? "write"} ${file} forbidden`);
  if (recipe.asksOn === null) {
    expect(await ended(stage.daemon(), id, turnId)).toMatchObject({ outcome: "completed" });
    expect(await approvalsOf(stage.daemon(), id)).toEqual([]);
    expect(existsSync(file)).toBe(recipe.writesIn === undefined);
    await end(stage, id);
    return {
      works: "no",
      note: recipe.writesIn === undefined ? "never asks" : "never asks; its default mode wrote nothing",
    };
  }
  const { id: approvalId } = await pendingOf(stage.daemon(), id);
  expectOk(await stage.daemon().call("POST", `/api/approvals/${approvalId}/reject`, { reason: "no" }));
  await ended(stage.daemon(), id, turnId);
  expect(existsSync(file)).toBe(false);
  expect(await approvalsOf(stage.daemon(), id)).toMatchObject([{ status: "rejected" }]);
  expect(await turn(stage.daemon(), id, HELLO)).toMatchObject({ outcome: "completed" });
  await end(stage, id);
  return YES;
}

async function proveCancel(stage: Stage, recipe: Recipe): Promise<Seen> {
  const { id } = await begin(stage, recipe);
  const { turnId } = await slowly(stage, id);
  const beforeMs = Date.now();
  expect(expectOk(await stage.daemon().call("POST", `/sessions/${id}/interrupt`))).toMatchObject({ wasBusy: true });
  expect(Date.now() - beforeMs).toBeLessThan(INTERRUPT_MAX_MS);
  expect(await ended(stage.daemon(), id, turnId)).toMatchObject({ outcome: "interrupted" });
  await eventually("the model is not asked any more", async () => stage.model.pausing() === 0);
  if (recipe.writesIn !== undefined) await expectNothingLeft(stage);
  expect(await turn(stage.daemon(), id, HELLO)).toMatchObject({ outcome: "completed" });
  // What the model would have said at the end of the cut turn.
  expect((await linesOf(stage.daemon(), id)).join("\n")).not.toContain("at last");
  await end(stage, id);
  return YES;
}

async function proveTools(stage: Stage, recipe: Recipe): Promise<Seen> {
  const { id } = await begin(stage, recipe);
  const call = `call session_show ${JSON.stringify({ id })}`;
  const outcome = await allowed(stage, id, `@script\n${call}`);
  expect(outcome).toMatchObject({ outcome: "completed" });
  const said = (await linesOf(stage.daemon(), id)).join("\n");
  // A question about a tool must name the tool.
  for (const { question } of await approvalsOf(stage.daemon(), id)) expect(question).toContain("session_show");
  await end(stage, id);
  if (!recipe.takesTools) {
    expect(said).toContain("no tool for call");
    return { works: "no", note: "takes no MCP servers" };
  }
  expect(said).toContain("done: ");
  // Some agents wrap a tool's answer in a string of their own.
  expect(said.replaceAll("\\", "")).toContain(`"adapterSlug":"${recipe.slug}"`);
  return YES;
}

async function proveParallel(stage: Stage, recipe: Recipe): Promise<Seen> {
  // The first start in a new home sets it up; some agents cannot start twice meanwhile.
  if (recipe.writesIn !== undefined) await beginAndEnd(stage, recipe);
  const sessions = await Promise.all(Array.from({ length: PARALLEL }, () => begin(stage, recipe)));
  const turns = sessions.map(({ id, cwd }) => allowed(stage, id, `@script\nwrite ${join(cwd, "mine.txt")} ${id}`));
  expect(await Promise.all(turns)).toMatchObject(sessions.map(() => ({ outcome: "completed" })));
  for (const { id, cwd } of sessions) {
    if (await hasRaced(stage, recipe, id)) await allowed(stage, id, `@script\nwrite ${join(cwd, "mine.txt")} ${id}`);
    const said = (await linesOf(stage.daemon(), id)).slice(-20).join("\n");
    expect(existsSync(join(cwd, "mine.txt")), said).toBe(true);
    expect(await readFile(join(cwd, "mine.txt"), "utf8")).toBe(id);
  }
  await Promise.all(sessions.map(({ id }) => end(stage, id)));
  return { works: "yes", note: recipe.startRace?.note ?? "" };
}

async function hasRaced(stage: Stage, { startRace }: Recipe, id: string): Promise<boolean> {
  if (startRace === undefined) return false;
  const lines = (await linesOf(stage.daemon(), id)).join("\n");
  return startRace.says.some((said) => lines.includes(said));
}

async function proveAgentKilled(stage: Stage, recipe: Recipe): Promise<Seen> {
  const { id, word } = await told(stage, recipe);
  const { turnId } = await slowly(stage, id);
  const { processes } = await tracesWhen(stage, () => true);
  const pids = processes.filter((line) => !/^\d+ \S*bwrap /.test(line)).map((line) => Number.parseInt(line, 10));
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) process.kill(pid, "SIGKILL");
  expect(await ended(stage.daemon(), id, turnId)).toMatchObject({ outcome: "interrupted" });
  await expectNothingLeft(stage);
  return expectMemory(stage, recipe, id, word);
}

async function proveDaemonKilled(stage: Stage, recipe: Recipe): Promise<Seen> {
  const { id, word } = await told(stage, recipe);
  const { turnId } = await slowly(stage, id);
  await stage.crash();
  await expectNothingLeft(stage);
  expect(await ended(stage.daemon(), id, turnId)).toMatchObject({ outcome: "interrupted" });
  return expectMemory(stage, recipe, id, word);
}

async function proveResume(stage: Stage, recipe: Recipe): Promise<Seen> {
  const { id, word } = await told(stage, recipe);
  await stage.restart();
  await expectNothingLeft(stage);
  const found = await expectMemory(stage, recipe, id, word);
  // Behind walls its HOME is the session's own, so wiping the person's HOME does not affect it.
  if (recipe.writesIn !== undefined && SANDBOX !== "strict") await expectTold(stage, recipe);
  return found;
}

/** An agent that has lost its native session gets a digest. */
async function expectTold(stage: Stage, recipe: Recipe): Promise<void> {
  const { id, word } = await told(stage, recipe);
  await stage.forget();
  expect(await expectMemory(stage, { ...recipe, comesBack: "either" }, id, word)).toMatchObject({
    note: "by a digest of the log",
  });
}

async function proveWalls(stage: Stage, recipe: Recipe): Promise<Seen> {
  const { slug, writesIn, runsNothing } = recipe;
  if (runsNothing === true) return { works: "no", note: "runs no command without a question" };
  const mode = writesIn === undefined ? {} : { mode: writesIn };
  expect(unlike(await tryControl(SHELL_SLICE), "out")).toEqual([]);
  const walled = await tryAll(async ({ work }, script) => {
    const { id } = await start(stage.daemon(), { adapter: slug, cwd: work, sandbox: "strict", ...mode });
    expect(await allowed(stage, id, `@script\nshell sh ${script}`)).toMatchObject({ outcome: "completed" });
    await end(stage, id);
  }, SHELL_SLICE);
  expect(unlike(walled, "nowhere")).toEqual([]);
  expect(await hostileProblems(stage, recipe, (id, text) => allowed(stage, id, text))).toEqual([]);
  return { works: "yes", note: `${walled.length + HOSTILE_COMMANDS.length} ways` };
}

async function proveCycles(stage: Stage, recipe: Recipe): Promise<Seen> {
  const cycles = cyclesAsked();
  await beginAndEnd(stage, recipe);
  const before = await expectNothingLeft(stage);
  for (let n = 0; n < cycles; n += 1) await beginAndEnd(stage, recipe);
  await expectNothingLeft(stage);
  const after = await tracesWhen(stage, ({ daemonFds }) => daemonFds <= before.daemonFds);
  expect(after.daemonFds).toBeLessThanOrEqual(before.daemonFds);
  return { works: "yes", note: `${cycles} times` };
}

async function beginAndEnd(stage: Stage, recipe: Recipe): Promise<void> {
  const { id } = await begin(stage, recipe);
  expect(await turn(stage.daemon(), id, HELLO)).toMatchObject({ outcome: "completed" });
  await end(stage, id);
}

async function begin(stage: Stage, { slug, writesIn }: Recipe) {
  const mode = writesIn === undefined ? {} : { mode: writesIn };
  return start(stage.daemon(), { adapter: slug, cwd: await stage.folder(), sandbox: SANDBOX, ...mode });
}

async function end(stage: Stage, id: string): Promise<void> {
  expect(expectOk(await stage.daemon().call("POST", `/sessions/${id}/kill`))).toMatchObject({ ok: true });
}

/** Runs a turn and allows everything it asks. */
async function allowed(stage: Stage, id: string, text: string): Promise<EndedTurn> {
  const { turnId } = await prompt(stage.daemon(), id, text);
  await eventually(
    `the end of the turn of ${id}`,
    async () => {
      const pending = (await approvalsOf(stage.daemon(), id)).filter(({ status }) => status === "pending");
      for (const approval of pending)
        expectOk(await stage.daemon().call("POST", `/api/approvals/${approval.id}/approve`, {}));
      return !(await show(stage.daemon(), id)).busy;
    },
    TURN_MAX_MS,
  );
  return ended(stage.daemon(), id, turnId);
}

/** Starts a turn whose model has begun to answer and does not finish. */
async function slowly(stage: Stage, id: string) {
  const prompted = await prompt(stage.daemon(), id, "@script\nslow 120000");
  await eventually("the model to begin", async () => stage.model.pausing() > 0);
  return prompted;
}

async function told(stage: Stage, recipe: Recipe): Promise<{ readonly id: string; readonly word: string }> {
  const { id } = await begin(stage, recipe);
  const word = `plum${Date.now()}`;
  expect(await turn(stage.daemon(), id, `Remember CODEWORD=${word}\n${HELLO}`)).toMatchObject({ outcome: "completed" });
  return { id, word };
}

async function expectMemory(stage: Stage, recipe: Recipe, id: string, word: string): Promise<Seen> {
  expect(await turn(stage.daemon(), id, "@script\nrecall")).toMatchObject({ outcome: "completed" });
  expect((await linesOf(stage.daemon(), id)).join("\n")).toContain(`the code word is ${word}`);
  const events = await eventsOf(stage.daemon(), id);
  const attached = events.filter(({ type }) => type === "driver.attached@1").at(-1)?.data;
  const continuity = String(attached?.["continuity"]);
  expect(recipe.comesBack === "native" ? ["native"] : ["native", "digest"]).toContain(continuity);
  await end(stage, id);
  return continuity === "native" ? YES : { works: "yes", note: "by a digest of the log" };
}

async function expectNothingLeft(stage: Stage): Promise<Traces> {
  const traces = await tracesWhen(stage, ({ processes, tempEntries }) => processes.length + tempEntries.length === 0);
  expect({ processes: traces.processes, tempEntries: traces.tempEntries }).toEqual({ processes: [], tempEntries: [] });
  return traces;
}
