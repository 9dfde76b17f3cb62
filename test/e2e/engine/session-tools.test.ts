import { afterAll, beforeAll, expect, vi } from "vitest";
import { newHome, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import {
  type Event,
  ended,
  eventsOf,
  eventually,
  expectOk,
  newFolder,
  PATIENCE,
  pendingOf,
  prompt,
  type Session,
  show,
  start,
  typesOf,
} from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
let home = "";
const begin = () => startDaemon({ home, outlivesTest: true });
beforeAll(async () => {
  home = await newHome();
  daemon = await begin();
  const agents = [
    { slug: "worker", driver: "demo" },
    { slug: "stranger", driver: "demo" },
    { slug: "below", driver: "nomos", delegatesTo: ["worker", "stranger"] },
    { slug: "lead", driver: "nomos", delegatesTo: ["worker", "below"] },
  ];
  for (const agent of agents) expectOk(await daemon.call("POST", "/api/agents", agent), 201);
  expectOk(
    await daemon.call("PUT", "/api/config", {
      config: {
        models: { default: "demo/script" },
        engine: { budgetMicroUsd: 2_000_000, stepsMax: 20 },
        policy: {
          rules: [
            { id: "ask-label", effect: "ask", verb: "tool.control", resource: "**/control/label" },
            { id: "no-title", effect: "deny", verb: "tool.control", resource: "**/control/title" },
          ],
        },
      },
    }),
  );
});
afterAll(() => daemon[Symbol.asyncDispose]());

const lead = (body: object = {}) =>
  start(daemon, { adapter: "nomos", agent: "lead", model: "demo/script", sandbox: "off", ...body });

/** One turn of the scripted model; resolves with what its calls answered. */
async function play(id: string, script: string): Promise<readonly string[]> {
  const { turnId } = await prompt(daemon, id, script);
  await ended(daemon, id, turnId);
  return resultsOf(id, turnId);
}

async function resultsOf(id: string, turnId: string): Promise<readonly string[]> {
  const events = await eventsOf(daemon, id, `types=tool.ended&turnId=${turnId}`);
  return events.map(({ data }) => (data["output"] as { text: string }).text);
}

const call = (tool: string, input: object) => `call ${tool} ${JSON.stringify(input)}`;
const of = (events: readonly Event[], type: string) => events.filter((event) => event.type === type);
const childrenOf = async (id: string): Promise<readonly (Session & { readonly parentSessionId?: string })[]> => {
  const { sessions } = expectOk(
    await daemon.call<{ sessions: (Session & { parentSessionId?: string })[] }>("GET", "/sessions"),
  );
  return sessions.filter((session) => session.parentSessionId === id);
};

proves(
  "STL-1",
  "a long answer of an agent below arrives whole, and is cut with a note where it is too long",
  async () => {
    const { id } = await lead();
    const say = (words: number) => `say ${"word ".repeat(words)}THE-END`;
    await play(id, call("session", { do: "start", agent: "worker", title: "long", prompt: say(4_000) }));
    const { turnId } = await prompt(
      daemon,
      id,
      [
        call("session", { do: "wait", id: "long" }),
        call("session", { do: "output", id: "long" }),
        call("session", { do: "prompt", id: "long", prompt: say(6_000) }),
        call("session", { do: "wait", id: "long" }),
      ].join("\n"),
    );
    await ended(daemon, id, turnId);
    const results = await Promise.all(
      (await eventsOf(daemon, id, `types=tool.ended&turnId=${turnId}`)).map(async ({ data }) => {
        const { text, blob } = data["output"] as { text: string; blob: string | null };
        if (blob === null) return text;
        return expectOk(await daemon.call<{ content: string }>("GET", `/api/blobs/${blob}`)).content;
      }),
    );
    const [waited, output, , cut] = results;
    expect(waited).toMatch(/Its last message:\nword [\s\S]*THE-END$/);
    expect(output).toMatch(/^word [\s\S]*THE-END\n\[turn ended: completed\]/);
    expect(cut).toMatch(/word\s*\n\[cut: 24000 of 30007 characters\]$/);
  },
);

proves(
  "STL-1",
  "a model starts an agent below, waits for it, reads its output by a cursor, prompts and stops it",
  async () => {
    const { id } = await lead();
    const [agents, started] = await play(
      id,
      [
        call("session", { do: "agents" }),
        call("session", { do: "start", agent: "worker", prompt: "say one\nsay two", title: "count" }),
      ].join("\n"),
    );
    expect(agents).toContain("worker (driver demo)");
    expect(agents).toContain("stranger: refused, delegation_denied");
    expect(started).toMatch(/^Started \S+ with worker\. It works\.$/);
    const [child] = await childrenOf(id);
    expect(child).toMatchObject({ agent: "worker", title: "count", parentSessionId: id });
    const name = child?.name ?? "";
    const [waited, listed, output] = await play(
      id,
      [
        call("session", { do: "wait", id: name, timeoutMs: 20_000 }),
        call("session", { do: "list" }),
        call("session", { do: "output", id: name }),
      ].join("\n"),
    );
    expect(waited).toMatch(/its last turn: completed\. Its last message:\ntwo$/);
    expect(listed).toBe(`${name} (worker): idle`);
    expect(output).toMatch(/^one\ntwo\n\[turn ended: completed\]\n\[cursor \d+\]$/);
    const cursor = Number(/\[cursor (\d+)\]/.exec(output ?? "")?.[1]);
    const [prompted, , more, stopped] = await play(
      id,
      [
        call("session", { do: "prompt", id: name, prompt: "say three" }),
        call("session", { do: "wait", id: name }),
        call("session", { do: "output", id: name, after: cursor }),
        call("session", { do: "stop", id: name }),
      ].join("\n"),
    );
    expect(prompted).toContain("works on it");
    expect(more).toMatch(/^three\n\[turn ended: completed\]\n\[cursor \d+\]$/);
    expect(stopped).toContain("has ended");
    expect((await show(daemon, child?.id ?? "")).state).toBe("killed");
    expect(of(await eventsOf(daemon, child?.id ?? ""), "turn.admitted@1").map(({ actor }) => actor)).toEqual([
      `session:${id}`,
      `session:${id}`,
    ]);
  },
);

proves(
  "STL-1",
  "delegation holds: nobody else's agent, no session of others, no rights that the parent lacks",
  async () => {
    const foreign = await start(daemon, { adapter: "demo" });
    const { id } = await lead();
    const refused = await play(
      id,
      [
        call("session", { do: "start", agent: "stranger", prompt: "say no" }),
        call("session", { do: "start", agent: "nobody", prompt: "say no" }),
        call("session", { do: "start", agent: "worker", prompt: "x", ground: "ws://workspaces/other" }),
        call("session", { do: "start", agent: "worker", prompt: "x", sandbox: "off" }),
        call("session", { do: "list" }),
        call("session", { do: "output", id: foreign.id }),
        call("session", { do: "output", id: foreign.name }),
        call("session", { do: "prompt", id: foreign.id, prompt: "say no" }),
        call("session", { do: "stop", id: foreign.id }),
        call("session", { do: "wait", id: foreign.id }),
        call("session", { do: "agents" }),
        call("session", { do: "stop", id: "self" }),
        call("session", { do: "prompt", id: "self", prompt: "say no" }),
        call("send", { to: foreign.id, text: "no" }),
        call("session", { do: "prompt", id: foreign.id }),
      ].join("\n"),
    );
    const codes = refused.map((text) => text.split(/[ :]/, 1)[0]);
    expect(codes.slice(0, 4)).toEqual(["delegation_denied", "invalid_agent", "cwd_outside_parent", "invalid_request"]);
    expect([...codes.slice(5, 10), ...codes.slice(11, 14)]).toEqual(Array.from({ length: 8 }, () => "denied"));
    expect(refused[14]).toContain("`prompt` needs `prompt`");
    expect(await childrenOf(id)).toEqual([]);
    expect(typesOf(await eventsOf(daemon, foreign.id))).not.toContain("turn.admitted@1");

    // `below` may start strangers, but not for a lead that may not.
    const [, waited] = await play(
      id,
      [
        call("session", {
          do: "start",
          agent: "below",
          prompt: call("session", { do: "start", agent: "stranger", prompt: "say no" }),
        }),
        call("session", { do: "list" }),
      ].join("\n"),
    );
    const [child] = await childrenOf(id);
    expect(waited).toContain(child?.name);
    await eventually("the child's turn", async () => !(await show(daemon, child?.id ?? "")).busy);
    const tried = await eventsOf(daemon, child?.id ?? "", "types=tool.ended");
    expect(JSON.stringify(tried.map(({ data }) => data["output"]))).toContain("delegation_denied");
    expect(await childrenOf(child?.id ?? "")).toEqual([]);
  },
);

proves("STL-1", "a session that delegates to nobody is not offered the tool", async () => {
  const { id } = await start(daemon, { adapter: "nomos", model: "demo/script", sandbox: "off" });
  const [answer] = await play(id, call("session", { do: "list" }));
  expect(answer).toMatch(/no tool|unknown|not a tool/i);
});

proves(
  "STL-2",
  "a message to a person is a note; one to a session below is a prompt or steers its turn, once",
  async () => {
    const { id } = await lead();
    await play(id, call("session", { do: "start", agent: "worker", prompt: "say ready" }));
    const [child] = await childrenOf(id);
    await eventually("idle", async () => !(await show(daemon, child?.id ?? "")).busy);
    const { name } = await show(daemon, id);
    const said = await play(
      id,
      [
        call("send", { to: "person", text: "the build is red" }),
        call("send", { to: child?.name ?? "", text: "sleep 2000" }),
        call("send", { to: child?.id ?? "", text: "say more" }),
        call("send", { to: "self", text: "me" }),
      ].join("\n"),
    );
    expect(said[0]).toBe("The user will see it.");
    expect(said.slice(1, 3).join()).toMatch(/works on it|when its turn has ended/);
    expect(said[3]).toContain("this session itself");
    // A turn of the own engine takes it up; a session of another driver queues it.
    await play(id, call("session", { do: "start", agent: "below", prompt: "sleep 1500\nsay on" }));
    const running = (await childrenOf(id)).find(({ agent }) => agent === "below");
    const [steered] = await play(id, call("send", { to: running?.id ?? "", text: "mind the gap" }));
    expect(steered).toContain("takes it up with its next step");
    expect(of(await eventsOf(daemon, running?.id ?? ""), "turn.steered@1").map(({ data }) => data["text"])).toEqual([
      `Message from the session ${name}:\nmind the gap`,
    ]);
    const notes = of(await eventsOf(daemon, id), "x.note@1");
    expect(notes.map(({ data }) => data["payload"])).toEqual([{ text: "the build is red" }]);
    const prompts = of(await eventsOf(daemon, child?.id ?? ""), "turn.admitted@1").map(({ data }) => data["prompt"]);
    expect(prompts).toEqual([
      "say ready",
      `Message from the session ${name}:\nsleep 2000`,
      `Message from the session ${name}:\nsay more`,
    ]);
  },
);

proves(
  "STL-3",
  "a session sets its own options; a rule is asked, a limit is never widened, foreign ones are not reached",
  async () => {
    const { id } = await lead();
    const script = [
      call("control", { do: "thinking", value: "high" }),
      call("control", { do: "thinking", value: "enormous" }),
      call("control", { do: "budget", value: "900000" }),
      call("control", { do: "steps", value: "9000" }),
      call("control", { do: "compaction", value: "off" }),
      call("control", { do: "model", value: "demo/script" }),
      call("control", { do: "model", value: "no/such" }),
      call("control", { do: "title", value: "renamed" }),
      call("control", { do: "mark", value: "here" }),
      call("control", { do: "mode", value: "yolo" }),
      call("control", { do: "schema", value: "{no json}" }),
      call("control", { do: "get" }),
      call("control", { do: "label", value: "mine" }),
    ].join("\n");
    const { turnId } = await prompt(daemon, id, script);
    const asked = await pendingOf(daemon, id);
    expect(asked.question).toContain("control: label mine");
    expectOk(await daemon.call("POST", `/api/approvals/${asked.id}/approve`, { option: "once" }));
    await ended(daemon, id, turnId);
    const said = await resultsOf(id, turnId);
    expect(said[0]).toContain("thinking is high");
    expect(said[1]).toContain("invalid_option");
    expect(said[6]).toContain("unknown_model");
    expect(said[7]).toContain("no-title");
    expect(said[8]).toContain("labelled here");
    expect(said[9]).toMatch(/do: |invalid/);
    expect(said[10]).toContain("invalid_option");
    expect(said[11]).toMatch(/thinking: high[\s\S]*compaction: off/);
    const now = await show(daemon, id);
    expect(now).toMatchObject({ label: "mine" });
    expect(now.title).not.toBe("renamed");
    expectOk(await daemon.call("GET", `/sessions/${id}/marks`));
  },
);

proves(
  "STL-3",
  "restart ends the turn and begins one with the prompt; a session cannot go on like that without end",
  async () => {
    const { id } = await lead();
    await play(id, `${call("control", { do: "restart", value: "say resumed" })}\nsay never said`);
    await eventually("the new turn", async () => of(await eventsOf(daemon, id), "turn.ended@1").length === 2);
    const events = await eventsOf(daemon, id);
    expect(of(events, "turn.admitted@1").map(({ data, actor }) => [data["prompt"], actor])[1]).toEqual([
      "say resumed",
      `session:${id}`,
    ]);
    expect(of(events, "turn.ended@1").map(({ data }) => data["outcome"])).toEqual(["completed", "completed"]);
    const texts = of(events, "message.completed@1").map(({ data }) => data["text"]);
    expect(texts).toContain("resumed");
    expect(texts).not.toContain("never said");

    let script = "say done";
    for (let n = 0; n < 8; n += 1) script = call("control", { do: "restart", value: script });
    const { turnId } = await prompt(daemon, id, script);
    await ended(daemon, id, turnId);
    await eventually("quiet", async () => {
      const { busy, queued } = await show(daemon, id);
      return !busy && queued === 0;
    });
    const all = await eventsOf(daemon, id);
    expect(of(all, "turn.admitted@1").filter(({ actor }) => actor === `session:${id}`)).toHaveLength(1 + 5);
    expect(JSON.stringify(of(all, "tool.ended@1").at(-1)?.data)).toContain("own_turns_max");
  },
);

proves("STL-2", "the daemon dies while messages are sent and sessions started: each is there once", async () => {
  const { id } = await lead({ cwd: await newFolder() });
  const texts = ["one", "two", "three", "four"];
  const script = texts.flatMap((text) => [
    call("send", { to: "person", text }),
    call("session", { do: "start", agent: "worker", prompt: "say hi", title: text }),
  ]);
  const { turnId } = await prompt(daemon, id, script.join("\n"));
  const notes = async () => of(await eventsOf(daemon, id), "x.note@1").map(({ data }) => data["payload"]);
  for (const sent of [1, 3]) {
    await eventually(`${sent} sent`, async () => (await notes()).length >= sent);
    await daemon.kill9();
    daemon = await begin();
  }
  await ended(daemon, id, turnId);
  expect(await notes()).toEqual(texts.map((text) => ({ text })));
  expect((await childrenOf(id)).map(({ title }) => title).toSorted()).toEqual(texts.toSorted());
});
