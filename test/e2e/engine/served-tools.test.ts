import { afterAll, beforeAll, expect, vi } from "vitest";
import type { Json } from "../../../src/kernel/index.ts";
import type { ServedResult, ServedTool, ToolSource } from "../../../src/turns/index.ts";
import { type DaemonHere, startDaemonHere } from "../../support/daemon-here.ts";
import { proves } from "../../support/proves.ts";
import { eventually, newFolder, PATIENCE } from "../support/talk.ts";

vi.setConfig(PATIENCE);

const said = (text: string, isError = false): ServedResult => ({ content: [{ kind: "text", text }], isError });
const calls: { readonly tool: string; readonly input: Json; readonly key: string }[] = [];

function tool(name: string, run: ServedTool["run"], more: Partial<ServedTool> = {}): ServedTool {
  return {
    name,
    description: `does ${name}`,
    input: { type: "object", properties: { text: { type: "string" } } },
    kind: "echo",
    redo: "safe",
    mode: "parallel",
    resource: () => `tool/${name}`,
    shown: (input) => `${name} ${JSON.stringify(input)}`,
    run: (input, call) => {
      calls.push({ tool: name, input, key: call.key });
      return run(input, call);
    },
    ...more,
  };
}

const source: ToolSource = {
  name: "test",
  tools: async () => ({
    tools: [
      tool("echo", async (input) => said(JSON.stringify(input))),
      tool("broken", async () => said("it is broken", true)),
      tool("throwing", async () => {
        throw new Error("it threw");
      }),
      tool("long", async () => said("x".repeat(2_000_000))),
      tool("guarded", async () => said("guarded"), { kind: "guarded" }),
      tool("read", async () => said("not the built-in")),
      tool("echo", async () => said("a second one")),
      tool("no such name!", async () => said("")),
    ],
    problems: ["the third server is down"],
  }),
};
const failing: ToolSource = { name: "failing", tools: () => Promise.reject(new Error("this room is on fire")) };

let daemon: DaemonHere;
beforeAll(async () => {
  const rules = [{ id: "no-guarded", effect: "deny", verb: "tool.guarded", resource: "**" }];
  daemon = await startDaemonHere({ moreTools: [failing, source], config: { policy: { rules } } });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const json = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const answer = await daemon.call(method, path, body);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${text}`);
  return JSON.parse(text) as T;
};

async function play(script: string, more: object = {}) {
  const order = { cwd: await newFolder(), adapter: "nomos", model: "demo/script", sandbox: "off", ...more };
  const { id } = await json<{ id: string }>("POST", "/sessions/agent", order);
  await json("POST", `/sessions/${id}/prompt`, { prompt: script });
  await eventually("the end of the turn", async () => {
    const { busy } = await json<{ busy: boolean }>("GET", `/sessions/${id}`);
    return !busy;
  });
  const { events } = await json<{ events: { type: string; data: Readonly<Record<string, unknown>> }[] }>(
    "GET",
    `/sessions/${id}/events?limit=500`,
  );
  const of = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data);
  return { id, of, results: of("tool.ended@1").map(({ output }) => (output as { text: string }).text) };
}

proves(
  "ENG-20",
  "a tool of the daemon is offered, called, and its effect is in the ledger before it runs",
  async () => {
    const { of, results } = await play('call echo {"text":"hello"}');
    expect(results).toEqual(['{"text":"hello"}']);
    expect(of("effect.intended@1")).toMatchObject([{ kind: "echo", detail: { tool: "echo" } }]);
    expect(of("effect.settled@1")).toMatchObject([{ outcome: "done" }]);
  },
);

proves("ENG-20", "a tool that fails or throws is an error for the model, and the turn goes on", async () => {
  const { of, results } = await play("call broken\ncall throwing\nsay on");
  expect(results).toEqual(["it is broken", "throwing failed: it threw"]);
  expect(of("tool.ended@1")).toMatchObject([{ outcome: "failed" }, { outcome: "failed" }]);
  expect(of("turn.ended@1")).toMatchObject([{ outcome: "completed" }]);
});

proves("ENG-20", "an answer that is too long for a model is cut with a note", async () => {
  const { results } = await play("call long");
  expect(results[0]?.length).toBeLessThan(200_000);
});

proves("ENG-20", "a rule against its kind refuses the call, which is never made", async () => {
  const { results, of } = await play("call guarded");
  expect(results[0]).toContain("no-guarded");
  expect(of("effect.begun@1")).toEqual([]);
  expect(calls.filter(({ tool: name }) => name === "guarded")).toEqual([]);
});

proves("ENG-20", "a room that fails is named, the others are there, and a built-in tool keeps its name", async () => {
  const { of, results } = await play("write a.txt built in\nread a.txt");
  expect(results[1]).toContain("built in");
  const [notice] = of("driver.noticed@1") as unknown as { body: { text: string } }[];
  expect(notice?.body.text).toContain("failing: this room is on fire");
  expect(notice?.body.text).toContain("the third server is down");
  expect(notice?.body.text).toContain("there are two tools echo");
  expect(notice?.body.text).toContain('"no such name!" has not');
});
