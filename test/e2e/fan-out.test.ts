import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import {
  addAgents,
  candidateOf,
  fanOut,
  judged,
  promptOf,
  reached,
  type ShownFanout,
  shown,
} from "../support/fan-out-bench.ts";
import { settled } from "../support/landing-bench.ts";
import { proves } from "../support/proves.ts";
import { setUpBench } from "../support/worktree-bench.ts";
import {
  approvalsOf,
  eventsOf,
  expectOk,
  expectRefusal,
  idle,
  PATIENCE,
  pendingOf,
  prompt,
  type Session,
  show,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

const AGENTS = ["tidy", "wordy", "broken", "lazy", "faulty", "curious"];
const CHECK = [["sh", "-c", "! grep -rq BROKEN --include=*.txt ."]];

let daemon: TestDaemon;
let agentFiles: AsyncDisposable;
beforeAll(async () => {
  daemon = await startDaemon();
  agentFiles = await addAgents(daemon, AGENTS);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await agentFiles[Symbol.asyncDispose]();
});

proves(
  "FAN-1",
  "one prompt runs in a worktree for each agent, all from one commit, and the best is named with a reason",
  async () => {
    using bench = setUpBench();
    const script = {
      tidy: ["write one.txt 1"],
      wordy: ["write one.txt 1", "write two.txt 2", "run git add -A && git commit -qm wordy"],
      broken: ["write one.txt BROKEN"],
      lazy: ["I would do nothing"],
      faulty: ["write one.txt 1", "fail on purpose"],
    };
    const agents = ["wordy", "broken", "tidy", "lazy", "faulty"];
    const started = await fanOut(daemon, { prompt: promptOf(script), agents, cwd: bench.repo, checks: CHECK });
    expect(started.candidates.map(({ agent }) => agent)).toEqual(agents);
    expect(started.base).toBe(bench.git(bench.repo, "rev-parse", "HEAD"));
    const sessions = await Promise.all(started.candidates.map(({ sessionId }) => session(sessionId)));
    expect(new Set(sessions.map(({ cwd }) => cwd)).size).toBe(agents.length);
    for (const { label } of sessions) expect(label).toBe(`fan-out ${started.name}`);
    const done = await judged(daemon, started.name);
    expect(done.state).toBe("judged");
    expect(done.candidates.map(({ agent, rank, passes, reason }) => ({ agent, rank, passes, reason }))).toEqual([
      { agent: "tidy", rank: 1, passes: true, reason: "checks passed, a smaller change" },
      { agent: "wordy", rank: 2, passes: true, reason: "checks passed, a larger change" },
      { agent: "broken", rank: 3, passes: false, reason: "1 finding: check" },
      { agent: "lazy", rank: 4, passes: false, reason: "changed nothing" },
      { agent: "faulty", rank: 5, passes: false, reason: "its turn ended as failed" },
    ]);
    expect(done.best?.sessionId).toBe(candidateOf(done, "tidy").sessionId);
    expect(candidateOf(done, "wordy")).toMatchObject({
      files: 2,
      added: 2,
      removed: 0,
      checks: "passed",
      outcome: "completed",
    });
    expect(done.overlap).toMatchObject([{ path: "one.txt" }]);
  },
);

const session = (id: string): Promise<Session> => show(daemon, id);
void [
  existsSync,
  readFileSync,
  join,
  reached,
  shown,
  settled,
  approvalsOf,
  eventsOf,
  expectOk,
  expectRefusal,
  idle,
  pendingOf,
  prompt,
];

export type { ShownFanout };
