import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { configure, land, settled, worked } from "../support/landing-bench.ts";
import { proves } from "../support/proves.ts";
import { setUpBench } from "../support/worktree-bench.ts";
import { eventually, expectOk, expectRefusal, PATIENCE, prompt, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

interface Why {
  readonly state: string;
  readonly because: readonly { readonly seq: number; readonly type: string; readonly says: string }[];
  readonly next: string | null;
}

const why = async (path: string): Promise<Why> => expectOk(await daemon.call<Why>("GET", `${path}/why`));
const saidBy = ({ because }: Why, type: string) => because.filter((one) => one.type === type).map(({ says }) => says);

proves("WHY-1", "a session that waits, failed or ended says so, with the events and the next command", async () => {
  const { id, name } = await start(daemon, { adapter: "demo" });
  await prompt(daemon, id, "ask May I go on?");
  const waiting = await eventually("the question", async () => {
    const now = await why(`/sessions/${id}`);
    return now.state === "waiting for an answer" ? now : null;
  });
  expect(waiting.next).toBe(`nomos approve ${name}`);
  expect(waiting.because.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["session.opened@1", "turn.admitted@1", "turn.started@1", "approval.requested@1"]),
  );
  expect(saidBy(waiting, "approval.requested@1")[0]).toContain("May I go on?");
  const { seq: first = 0 } = waiting.because[0] ?? {};
  expect(waiting.because.every(({ seq }) => seq >= first)).toBe(true);
  const said = await daemon.cli("why", name);
  expect(said).toMatchObject({ exitCode: 0, stderr: "" });
  expect(said.stdout).toContain(`${name} is waiting for an answer.`);
  expect(said.stdout).toContain("May I go on?");
  expect(await daemon.cli("kill", name)).toMatchObject({ exitCode: 0 });
  const killed = await why(`/sessions/${id}`);
  expect(killed).toMatchObject({ state: "killed", next: `nomos fork ${name}` });
  expect(saidBy(killed, "session.killed@1")).toHaveLength(1);
  expectRefusal(await daemon.call("GET", "/sessions/nobody-9/why"), 404, "session_not_found");
});

proves("WHY-1", "a long history: at most 20 events, the beginning among them", async () => {
  const { id } = await start(daemon, { adapter: "demo" });
  await turn(daemon, id, Array.from({ length: 40 }, () => "run false").join("\n"));
  const told = await why(`/sessions/${id}`);
  expect(told.because.length).toBeLessThanOrEqual(20);
  expect(told.because[0]?.type).toBe("session.opened@1");
  expect(told.because.at(-1)?.type).toMatch(/^turn\.ended/);
});

proves(
  "WHY-1",
  "many tool calls that went well and many sleeps push out neither the beginning nor the prompt",
  async () => {
    const { id } = await start(daemon, { adapter: "demo" });
    await turn(daemon, id, Array.from({ length: 80 }, () => "run true").join("\n"));
    for (let n = 0; n < 7; n += 1)
      for (const verb of ["suspend", "resume"]) expectOk(await daemon.call("POST", `/sessions/${id}/${verb}`));
    const told = await why(`/sessions/${id}`);
    expect(told.because[0]?.type).toBe("session.opened@1");
    expect(saidBy(told, "turn.admitted@1")[0]).toContain("run true");
    expect(told.because.map(({ type }) => type)).toEqual(expect.arrayContaining(["turn.started@1", "turn.ended@1"]));
  },
);

proves("WHY-1", "a refused landing explains itself and its session", async () => {
  using bench = setUpBench();
  await configure(daemon, { checks: [["sh", "-c", "echo broken; exit 1"]], attemptsMax: 1 });
  const { id } = await worked(daemon, bench.repo, "write a.txt a");
  const { id: landing } = await settled(daemon, (await land(daemon, id)).id);
  const told = await why(`/api/landings/${landing}`);
  expect(told.state).toBe("refused");
  expect(saidBy(told, "landing.refused@1")[0]).toContain("by the rule check");
  expect(told.next).toMatch(/^nomos /);
  const session = await why(`/sessions/${id}`);
  expect(saidBy(session, "landing.queued@1")).toEqual(["operator asked to land its work onto main."]);
  expect(session.next).toBe(told.next);
});
