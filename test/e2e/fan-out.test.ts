import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { addAgents, candidateOf, fanOut, judged, promptOf, reached, shown } from "../support/fan-out-bench.ts";
import { configure, land, settled } from "../support/landing-bench.ts";
import { proves } from "../support/proves.ts";
import { type Bench, setUpBench } from "../support/worktree-bench.ts";
import { CALLER, callAs } from "./support/caller.ts";
import { plantDriver } from "./support/driver-file.ts";
import {
  expectOk,
  expectRefusal,
  expectSound,
  PATIENCE,
  pendingOf,
  type Refused,
  show,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

const AGENTS = ["tidy", "wordy", "broken", "lazy", "faulty", "curious"];
/** Fails where a text says BROKEN. */
const CHECKS = [["sh", "-c", "! grep -rq BROKEN --include=*.txt ."]];

let daemon: TestDaemon;
let agentFiles: AsyncDisposable;
beforeAll(async () => {
  daemon = await startDaemon();
  agentFiles = await addAgents(daemon, AGENTS);
  const nowhere = { command: "/nonexistent/agent", args: [] };
  const { config } = expectOk(await daemon.call<{ config: { drivers: object } }>("GET", "/api/config"));
  const drivers = { ...config.drivers, claude: nowhere, codex: nowhere };
  expectOk(await daemon.call("PUT", "/api/config", { config: { drivers } }));
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await agentFiles[Symbol.asyncDispose]();
});

const asked = (bench: Bench, script: object, more: object = {}) => ({
  ...{ prompt: JSON.stringify(script), agents: Object.keys(script), cwd: bench.repo, checks: CHECKS },
  ...more,
});
const sessionCount = async (): Promise<number> =>
  expectOk(await daemon.call<{ sessions: unknown[] }>("GET", "/sessions?limit=1000")).sessions.length;

proves(
  "FAN-1",
  "each agent works in a worktree of its own from one commit; the best is named with the reason",
  async () => {
    using bench = setUpBench();
    const script = {
      wordy: ["write one.txt 1", "write two.txt 2", "run git add -A && git commit -qm wordy"],
      broken: ["write one.txt BROKEN"],
      tidy: ["write one.txt 1"],
      lazy: ["I would do nothing"],
      faulty: ["write one.txt 1", "fail on purpose"],
    };
    const before = bench.portrait();
    const started = await fanOut(daemon, asked(bench, script));
    expect(started.candidates.map(({ agent }) => agent)).toEqual(Object.keys(script));
    expect(started.base).toBe(bench.git(bench.repo, "rev-parse", "HEAD"));
    const sessions = await Promise.all(started.candidates.map(({ sessionId }) => show(daemon, sessionId)));
    expect(new Set(sessions.map(({ cwd }) => cwd)).size).toBe(5);
    for (const { label } of sessions) expect(label).toBe(`fan-out ${started.name}`);
    const done = await judged(daemon, started.name);
    expect(done.state).toBe("judged");
    expect(done.candidates.map(({ agent, passes, reason }) => ({ agent, passes, reason }))).toEqual([
      { agent: "tidy", passes: true, reason: "checks passed, a smaller change" },
      { agent: "wordy", passes: true, reason: "checks passed, a larger change" },
      { agent: "broken", passes: false, reason: "1 finding: check" },
      { agent: "lazy", passes: false, reason: "changed nothing" },
      { agent: "faulty", passes: false, reason: "its turn ended as failed" },
    ]);
    expect(done.best?.sessionId).toBe(candidateOf(done, "tidy").sessionId);
    expect(candidateOf(done, "wordy")).toMatchObject({ rank: 2, files: 2, added: 2, removed: 0, checks: "passed" });
    expect(done.overlap).toMatchObject([{ path: "one.txt" }]);
    expect(bench.portrait()).toBe(before);
  },
);

proves("FAN-2", "a call that is repeated with its key starts nothing twice", async () => {
  using bench = setUpBench();
  const body = asked(bench, { tidy: ["write a.txt a"], wordy: ["write a.txt a"] });
  const first = await fanOut(daemon, body, `key-${bench.directory}`);
  const count = await sessionCount();
  const again = await fanOut(daemon, body, `key-${bench.directory}`);
  expect(again.id).toBe(first.id);
  expect(again.candidates.map((one) => one.sessionId).toSorted()).toEqual(
    first.candidates.map((one) => one.sessionId).toSorted(),
  );
  expect(await sessionCount()).toBe(count);
});

proves(
  "FAN-2",
  "an agent that cannot start is told and the others go on; with fewer than two nothing is left behind",
  async () => {
    using bench = setUpBench();
    const script = { tidy: ["write a.txt a"], claude: [], wordy: ["write a.txt a", "write b.txt b"] };
    const started = await fanOut(daemon, asked(bench, script));
    expect(candidateOf(started, "claude")).toMatchObject({ state: "failed", error: { message: expect.any(String) } });
    const done = await judged(daemon, started.id);
    expect(done.candidates.map(({ agent, state }) => [agent, state])).toEqual([
      ["tidy", "judged"],
      ["wordy", "judged"],
      ["claude", "failed"],
    ]);
    const count = await sessionCount();
    const one = { tidy: [], claude: [], codex: [] };
    const { details } = expectRefusal(
      await daemon.call("POST", "/api/fan-outs", asked(bench, one)),
      409,
      "fanout_too_few",
    );
    expect(details["failed"]).toMatchObject([{ agent: "claude" }, { agent: "codex" }]);
    expect(
      (await daemon.call<Refused>("POST", "/api/fan-outs", asked(bench, { claude: [], codex: [] }))).status,
    ).not.toBe(201);
    expect(await sessionCount()).toBe(count);
  },
);

proves(
  "FAN-3",
  "a candidate that asks is shown so, nobody is the best meanwhile, and another turn is judged anew",
  async () => {
    using bench = setUpBench();
    const script = { curious: ["ask May I?", "write a.txt BROKEN"], tidy: ["write a.txt a", "write b.txt b"] };
    const { id } = await fanOut(daemon, asked(bench, script));
    const waiting = await reached(
      daemon,
      id,
      (now) => candidateOf(now, "curious").state === "waiting" && candidateOf(now, "tidy").state === "judged",
    );
    expect(waiting).toMatchObject({ state: "working", best: null });
    expectRefusal(await daemon.call("POST", `/api/fan-outs/${id}/land`, { session: "best" }), 409, "fanout_unfinished");
    expectRefusal(await daemon.call("GET", `/api/fan-outs/${id}/wait?timeoutMs=50`), 408, "wait_timeout");
    const { sessionId } = candidateOf(waiting, "curious");
    const { id: question } = await pendingOf(daemon, sessionId);
    expectOk(await daemon.call("POST", `/api/approvals/${question}/approve`, { option: "yes" }));
    const first = await judged(daemon, id);
    expect(candidateOf(first, "curious")).toMatchObject({ rank: 2, passes: false, checks: "failed" });
    await turn(daemon, sessionId, "write a.txt a");
    const second = await judged(daemon, id);
    expect(candidateOf(second, "curious")).toMatchObject({ rank: 1, passes: true });
    // Candidates collide on purpose: the radar tells neither of them.
    const { conflicts } = expectOk(await daemon.call<{ conflicts: { sessions: string[] }[] }>("GET", "/api/conflicts"));
    expect(conflicts.filter(({ sessions }) => sessions.includes(sessionId))).toEqual([]);
    const events = await eventsIn("fanout", id);
    expect(events.filter(({ type }) => type === "fanout.judged@1")).toHaveLength(3);
  },
);

proves(
  "FAN-4",
  "the best lands through the gate, the others are kept until they are dropped, and come back by a fork",
  async () => {
    using bench = setUpBench();
    const script = { tidy: ["write one.txt 1"], wordy: ["write one.txt 1", "write two.txt 2"], lazy: ["no"] };
    const { id, name } = await fanOut(daemon, asked(bench, script));
    await judged(daemon, id);
    expectRefusal(await daemon.call("POST", `/api/fan-outs/${id}/drop`, {}), 409, "fanout_undecided");
    const key = { "idempotency-key": `land-${id}` };
    const landOnce = () =>
      daemon.call<{ landing: { id: string; sessionId: string } }>(
        "POST",
        `/api/fan-outs/${name}/land`,
        { session: "best", how: "squash" },
        key,
      );
    const { landing } = expectOk(await landOnce());
    expect(expectOk(await landOnce()).landing).toEqual(landing);
    expect(await settled(daemon, landing.id)).toMatchObject({ state: "landed", into: "main" });
    expect(readFileSync(join(bench.repo, "one.txt"), "utf8")).toBe("1\n");
    const landed = await reached(daemon, id, (now) => candidateOf(now, "tidy").state === "landed");
    expect(landed.chosen).toEqual({ sessionId: landing.sessionId, landingId: landing.id });
    const wordy = await show(daemon, candidateOf(landed, "wordy").sessionId);
    expect(existsSync(wordy.cwd)).toBe(true);
    const drop = (body: object) =>
      daemon.call<{ dropped: { agent: string; files: string[]; snapshot: string | null }[] }>(
        "POST",
        `/api/fan-outs/${id}/drop`,
        body,
      );
    const dry = expectOk(await drop({ dryRun: true }));
    expect(dry.dropped.map(({ agent }) => agent).toSorted()).toEqual(["lazy", "wordy"]);
    expect(existsSync(wordy.cwd)).toBe(true);
    const { dropped } = expectOk(await drop({}));
    expect(dropped.find(({ agent }) => agent === "wordy")?.files).toEqual(["one.txt", "two.txt"]);
    expect(existsSync(wordy.cwd)).toBe(false);
    expect(await show(daemon, wordy.id)).toMatchObject({ state: "killed" });
    expect((await shown(daemon, id)).state).toBe("settled");
    expect(existsSync((await show(daemon, landing.sessionId)).cwd)).toBe(true);
    const fork = expectOk(await daemon.call<{ id: string }>("POST", `/sessions/${wordy.id}/fork`, {}), 201);
    expect(readFileSync(join((await show(daemon, fork.id)).cwd, "two.txt"), "utf8")).toBe("2\n");
  },
);

proves("FAN-4", "one whose work could not land is not the best, and can be dropped alone while it works", async () => {
  using bench = setUpBench();
  await configure(daemon, { attemptsMax: 1 });
  const script = { broken: ["write a.txt BROKEN"], curious: ["write b.txt b", "ask forever?"], lazy: ["no"] };
  const { id } = await fanOut(daemon, asked(bench, script));
  await reached(daemon, id, (now) => candidateOf(now, "curious").state === "waiting");
  const { dropped } = expectOk(
    await daemon.call<{ dropped: object[] }>("POST", `/api/fan-outs/${id}/drop`, { session: "curious" }),
  );
  expect(dropped).toMatchObject([{ agent: "curious", files: ["b.txt"] }]);
  const done = await judged(daemon, id);
  expect(done).toMatchObject({ state: "judged", best: null });
  expectRefusal(await daemon.call("POST", `/api/fan-outs/${id}/land`, { session: "best" }), 409, "fanout_no_winner");
  expectRefusal(
    await daemon.call("POST", `/api/fan-outs/${id}/land`, { session: "tidy" }),
    404,
    "fanout_candidate_not_found",
  );
  // Chosen, and refused: nothing has landed, so the others are not dropped by accident.
  const refused = await land(daemon, candidateOf(done, "broken").sessionId, { checks: CHECKS });
  expect(await settled(daemon, refused.id)).toMatchObject({ state: "refused" });
  await reached(daemon, id, (now) => now.chosen?.landingId === refused.id);
  expectRefusal(await daemon.call("POST", `/api/fan-outs/${id}/drop`, {}), 409, "fanout_undecided");
  expect((await daemon.cli("fan-out", "show", id)).stdout).toContain(`Next: nomos landing why ${refused.id}`);
  // Landed by its session's own command: the fan-out knows it too.
  await turn(daemon, candidateOf(done, "broken").sessionId, "write a.txt a");
  await judged(daemon, id);
  const { id: landingId } = await land(daemon, candidateOf(done, "broken").sessionId);
  await settled(daemon, landingId);
  await reached(daemon, id, (now) => now.chosen?.landingId === landingId);
  expectOk(await daemon.call("POST", `/api/fan-outs/${id}/drop`, { all: true }));
  const over = await shown(daemon, id);
  expect(over.state).toBe("settled");
  expect(over.candidates.map(({ state }) => state)).toEqual(["dropped", "dropped", "dropped"]);
});

proves(
  "FAN-5",
  "too many agents, an unknown one, no repository, and callers without the right are refused",
  async () => {
    using bench = setUpBench();
    const call = (body: object, headers: Readonly<Record<string, string>> = {}) =>
      daemon.call("POST", "/api/fan-outs", body, headers);
    const count = await sessionCount();
    const two = { tidy: [], wordy: [] };
    expectRefusal(await call(asked(bench, two, { agents: Array(9).fill("tidy") })), 422, "fanout_too_many");
    expectRefusal(await call(asked(bench, two, { agents: ["tidy"] })), 400, "invalid_request");
    expectRefusal(await call(asked(bench, two, { agents: ["tidy", "nobody"] })), 400, "invalid_agent");
    expectRefusal(await call(asked(bench, two, { cwd: bench.directory })), 400, "not_a_repository");
    expectRefusal(await call(asked(bench, two, { base: "nowhere" })), 400, "worktree_base_missing");
    expectRefusal(await call(asked(bench, two, { prompt: "x".repeat(1_100_000) })), 413, "payload_too_large");
    expectRefusal(await daemon.call("GET", "/api/fan-outs/nothing-here"), 404, "fanout_not_found");
    const token = async (capabilities: readonly string[]) => {
      const made = await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities });
      return { authorization: `Bearer ${expectOk(made, 201).secret}` };
    };
    expectRefusal(await call(asked(bench, two), await token(["session.*"])), 403, "denied");
    const floored = await token(["fanout.*", "session.*"]);
    expectRefusal(await call(asked(bench, two), floored), 403, "sandbox_floor");
    expectRefusal(await call(asked(bench, two, { checks: undefined, sandbox: "off" }), floored), 403, "sandbox_floor");
    const file = await plantDriver(CALLER);
    const caller = await start(daemon, { adapter: "script", file });
    const [answer] = await callAs(daemon, caller.id, [["POST", "/api/fan-outs", asked(bench, two)]]);
    expect(answer).toMatchObject([403, { error: { code: "denied" } }]);
    expect(await sessionCount()).toBe(count + 1);
  },
);

proves("FAN-1", "on the command line: start, compare, look at the patch, land and drop", async () => {
  using bench = setUpBench();
  const script = { tidy: ["write one.txt 1"], wordy: ["write one.txt 1", "write two.txt 2"] };
  const check = ["--check", "sh -c 'test -f one.txt'"];
  const run = await daemon.cli("fan-out", "--agents", "tidy,wordy", ...check, "-C", bench.repo, promptOf(script));
  expect(run).toMatchObject({ exitCode: 0 });
  expect(run.stdout).toMatch(/^#\s+SESSION\s+AGENT\s+STATE\s+CHECKS\s+FILES\s+LINES\s+TIME/m);
  expect(run.stdout).toMatch(/^1\s+\S+\s+tidy\s+judged\s+passed\s+1\s+\+1 -0/m);
  expect(run.stdout).toContain("Best: ");
  const [, name = ""] = /nomos fan-out land (\S+) best/.exec(run.stdout) ?? [];
  expect((await daemon.cli("fan-out", "list")).stdout).toContain(name);
  const diff = await daemon.cli("fan-out", "diff", name, "wordy");
  expect(diff.stdout).toContain("+++ b/two.txt");
  const landed = await daemon.cli("fan-out", "land", name, "best", "--squash");
  expect(landed).toMatchObject({ exitCode: 0 });
  expect(bench.git(bench.repo, "show", "main:one.txt")).toBe("1");
  const dropped = await daemon.cli("fan-out", "drop", name);
  expect(dropped).toMatchObject({ exitCode: 0 });
  expect(dropped.stdout).toContain("Dropped 1 candidate");
  expect((await daemon.cli("fan-out", "show", name)).stdout).toContain("settled");
  const none = await daemon.cli("fan-out", "--agents", "lazy,lazy", "-C", bench.repo, "do nothing");
  expect(none).toMatchObject({ exitCode: 1 });
  expect(await daemon.cli("fan-out", "--agents", "tidy", "-C", bench.repo, "x")).toMatchObject({ exitCode: 2 });
});

proves("FAN-6", "after all of this the log passes its check", () => expectSound(daemon));

interface LogEntry {
  readonly type: string;
  readonly stream: string;
  readonly data: object;
}

async function eventsIn(kind: string, id: string): Promise<readonly LogEntry[]> {
  const { entries } = expectOk(await daemon.call<{ entries: LogEntry[] }>("GET", "/api/audit/entries?limit=1000"));
  return entries.filter(({ stream }) => stream === `${kind}/${id}`);
}
