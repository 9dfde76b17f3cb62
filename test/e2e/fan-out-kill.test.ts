import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { addAgents, candidateOf, fanOut, judged, reached, type ShownFanout, shown } from "../support/fan-out-bench.ts";
import { proves } from "../support/proves.ts";
import { type Bench, setUpBench } from "../support/worktree-bench.ts";
import { eventually, expectOk, expectSound, newFolder, PATIENCE, show } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let agentFiles: AsyncDisposable | null = null;
let bench: Bench;
beforeAll(() => {
  bench = setUpBench();
});
afterAll(async () => {
  bench[Symbol.dispose]();
  await agentFiles?.[Symbol.asyncDispose]();
});

const SLOW_CHECK = [["sh", "-c", "sleep 2"]];
const list = async (daemon: TestDaemon) =>
  expectOk(await daemon.call<{ fanOuts: { id: string; state: string; sessions: string[] }[] }>("GET", "/api/fan-outs"))
    .fanOuts;
const idsOf = ({ candidates }: ShownFanout) => candidates.map(({ sessionId }) => sessionId).toSorted();

proves(
  "FAN-6",
  "killed at the start, in a turn, while judging and while dropping: each candidate is there once and judged once",
  async () => {
    const home = await newFolder();
    const first = await startDaemon({ home });
    agentFiles = await addAgents(first, ["tidy", "wordy", "slow"]);
    const script = {
      tidy: ["write a.txt a"],
      wordy: ["write a.txt a", "write b.txt b"],
      slow: ["write c.txt c", "sleep 60000"],
    };
    const body = { prompt: JSON.stringify(script), agents: Object.keys(script), cwd: bench.repo, checks: SLOW_CHECK };
    const key = { "idempotency-key": "once" };

    // At the start: recorded, and at most half opened.
    const cut = first.call("POST", "/api/fan-outs", body, key).catch(() => null);
    const [begun] = await eventually("recorded", async () => {
      const rows = await list(first);
      return rows.length > 0 ? rows : null;
    });
    await first.kill9();
    await cut;
    const id = begun?.id ?? "";
    const second = await startDaemon({ home });
    const going = await fanOut(second, body, "once");
    expect(going.id).toBe(id);
    expect(idsOf(going)).toEqual(begun?.sessions.toSorted());
    const { sessions } = expectOk(await second.call<{ sessions: { id: string }[] }>("GET", "/sessions?limit=1000"));
    expect(sessions.map((one) => one.id).toSorted()).toEqual(idsOf(going));
    const { worktrees } = expectOk(
      await second.call<{ worktrees: { id: string; base: string }[] }>("GET", "/api/worktrees"),
    );
    expect(worktrees.map((one) => one.id).toSorted()).toEqual(idsOf(going));
    expect(new Set(worktrees.map((one) => one.base))).toEqual(new Set([going.base]));

    // While one is judged and another one is in its turn.
    await reached(second, id, (now) =>
      ["tidy", "wordy"].every((agent) => candidateOf(now, agent).state.startsWith("judg")),
    );
    await second.kill9();
    const third = await startDaemon({ home });
    const done = await judged(third, id);
    expect(done.candidates.map(({ agent, passes }) => [agent, passes])).toEqual([
      ["tidy", true],
      ["wordy", true],
      ["slow", false],
    ]);
    expect(candidateOf(done, "slow")).toMatchObject({ outcome: "interrupted" });
    const { entries } = expectOk(
      await third.call<{ entries: { type: string; stream: string; data: { sessionId: string } }[] }>(
        "GET",
        "/api/audit/entries?limit=1000",
      ),
    );
    const judgedIds = entries.filter(({ type }) => type === "fanout.judged@1").map(({ data }) => data.sessionId);
    expect(judgedIds.toSorted()).toEqual(idsOf(done));

    // While they are dropped: the word was given, so the next daemon goes on.
    const dropping = third.call("POST", `/api/fan-outs/${id}/drop`, { all: true }).catch(() => null);
    await reached(third, id, ({ candidates }) => candidates.some(({ state }) => state.startsWith("drop")));
    await third.kill9();
    await dropping;
    const fourth = await startDaemon({ home });
    const over = await reached(fourth, id, ({ state }) => state === "settled");
    expect(over.candidates.map(({ state }) => state)).toEqual(["dropped", "dropped", "dropped"]);
    expect(expectOk(await fourth.call<{ worktrees: object[] }>("GET", "/api/worktrees")).worktrees).toEqual([]);
    for (const one of idsOf(over)) expect(await show(fourth, one)).toMatchObject({ state: "killed" });
    expect((await shown(fourth, id)).id).toBe(id);
    bench.git(bench.repo, "fsck", "--strict");
    await expectSound(fourth);
  },
);
