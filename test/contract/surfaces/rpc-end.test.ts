import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { newHome, runCli, startCli, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { lineTalk } from "../../support/line-talk.ts";
import { proves } from "../../support/proves.ts";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const line = (message: unknown): string => `${JSON.stringify(message)}\n`;

async function startSession(prompt: string): Promise<string> {
  const { body } = await daemon.call<{ id: string }>("POST", "/sessions/agent", { adapter: "demo", prompt });
  return body.id;
}

/** Everything through one pipe that is closed at once, as `printf ... | nomos rpc` does it. */
async function piped(input: string, args: readonly string[] = []) {
  const startedMs = Date.now();
  const { exitCode, stdout, stderr } = await runCli(["rpc", ...args], { home: daemon.home, input });
  const answers: Record<string, unknown>[] = stdout
    .split("\n")
    .flatMap((text) => (text === "" ? [] : JSON.parse(text)));
  return { exitCode, stderr, answers, tookMs: Date.now() - startedMs };
}

proves("RPC-1", "the input is empty: exit code 0 and no output", async () => {
  expect(await piped("")).toMatchObject({ exitCode: 0, answers: [] });
});

proves("RPC-1", "the input ends during a slow call: the call is answered, then the exit code is 0", async () => {
  const id = await startSession("sleep 1500\nsay done");
  const { exitCode, answers } = await piped(line({ id: 1, method: "session.wait", params: { id } }));
  expect(answers).toMatchObject([{ id: 1, result: { turn: { outcome: "completed" } } }]);
  expect(exitCode).toBe(0);
});

proves("RPC-1", "the input ends with streams open: each is closed, then the exit code is 0", async () => {
  const id = await startSession("say hello");
  const { exitCode, answers } = await piped(
    line({ id: 1, method: "subscribe", params: { method: "session.stream", params: { id } } }) +
      line({ id: 2, method: "subscribe", params: { method: "event.stream" } }),
  );
  const closed = answers.filter(({ event }) => event === "closed");
  expect(closed.map(({ subscription }) => subscription).sort()).toEqual(["s1", "s2"]);
  expect(exitCode).toBe(0);
});

proves(
  "RPC-1",
  "the input ends in the middle of a line: a whole message is answered, half of one is refused",
  async () => {
    const whole = await piped(JSON.stringify({ id: 1, method: "system.status" }));
    expect(whole).toMatchObject({ exitCode: 0, answers: [{ id: 1, result: { status: "ok" } }] });
    const half = await piped(`${line({ id: 1, method: "system.status" })}{"id":2,"method":"sess`);
    expect(half.exitCode).toBe(0);
    expect(half.answers.find(({ id }) => id === null)).toMatchObject({ error: { code: "malformed_json" } });
    expect(half.answers.find(({ id }) => id === 1)).toHaveProperty("result");
  },
);

proves(
  "RPC-1",
  "the input ends during a call that waits for a person: cancelled after --wait-ms, exit code 1",
  async () => {
    const id = await startSession("ask really?");
    await expect
      .poll(async () => (await daemon.call<{ waitingFor?: string }>("GET", `/sessions/${id}`)).body.waitingFor)
      .toBe("approval");
    const asked = [1, 2].map((call) => line({ id: call, method: "session.wait", params: { id } })).join("");
    const { exitCode, answers, tookMs } = await piped(asked + line({ id: 3, method: "session.list" }), [
      "--wait-ms",
      "500",
    ]);
    expect(exitCode).toBe(1);
    for (const call of [1, 2])
      expect(answers.find((answer) => answer["id"] === call)).toMatchObject({ error: { code: "call_cancelled" } });
    expect(answers.find((answer) => answer["id"] === 3)).toHaveProperty("result");
    expect(tookMs).toBeLessThan(10_000);
  },
);

proves("RPC-1", "the input has an `end` of its own before it ends: both are carried out, exit code 0", async () => {
  const { exitCode, answers } = await piped(line({ id: 1, method: "session.list" }) + line({ id: 2, method: "end" }));
  expect(answers.map(({ id }) => id)).toEqual([1, 2]);
  expect(exitCode).toBe(0);
});

proves("RPC-1", "a wait that is no number of milliseconds: refused as usage", async () => {
  for (const given of ["soon", "-1", "1.5", "3600001"])
    expect(await piped("", [`--wait-ms=${given}`])).toMatchObject({ exitCode: 2 });
});

proves("RPC-1", "the daemon is stopped by a signal when the input ends: exit code 6 after the wait", async () => {
  const home = await newHome();
  const frozen = await startDaemon({ home });
  const child = startCli(["rpc", "--wait-ms", "0"], { home });
  onTestFinished(() => void child.kill("SIGKILL"));
  const talk = lineTalk(child);
  talk.say({ id: 1, method: "system.status" });
  await talk.answer(1);
  process.kill(frozen.pid, "SIGSTOP");
  try {
    expect(await talk.end()).toBe(6);
  } finally {
    process.kill(frozen.pid, "SIGCONT");
  }
});
