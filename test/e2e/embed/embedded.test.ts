import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createNomos, type EmbeddedNomos, type PolicyVerdict, type TurnEvent } from "../../../src/embed/nomos.ts";
import { startDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";

let folder = "";
let nomos: EmbeddedNomos;
/** What the policy of the program says, set by each test. */
let policy: (verb: string, resource: string) => PolicyVerdict = () => "allow";
const ran: string[] = [];
/** Prompts of the model `unfit`. */
const asked: string[] = [];
/** More than an event holds. */
const WORDS = "word ".repeat(60_000);

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-embedded-")));
  nomos = await createNomos({
    home: join(folder, "home"),
    model: "demo/script",
    policy: ({ verb, resource }) => policy(verb, resource),
    providers: {
      long: () => WORDS,
      broken: () => {
        throw new Error("the program's model is broken");
      },
      number: (() => 42) as never,
      midway: async function* () {
        yield "I begin";
        throw new Error("and break");
      },
      unfit: ({ messages }) => {
        const prompts = messages.filter(({ role }) => role === "user");
        asked.push(prompts.at(-1)?.text ?? "");
        return prompts.some(({ text }) => text === "Never.") || prompts.length < 3
          ? '{"n":"many"}'
          : 'So:\n```json\n{"n": 3}\n```';
      },
    },
    tools: [
      { name: "throws", description: "", run: () => Promise.reject(new Error("out of paper")) },
      { name: "hangs", description: "", timeoutMs: 300, run: () => new Promise(() => undefined) },
      {
        name: "counts",
        description: "",
        input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
        run: ({ n }) => {
          ran.push(String(n));
          return { counted: n };
        },
      },
    ],
  });
});

afterAll(async () => {
  await nomos.close();
  await rm(folder, { recursive: true, force: true });
});

async function played(script: string, options: Parameters<EmbeddedNomos["session"]>[0] = {}): Promise<TurnEvent[]> {
  const session = await nomos.session({ cwd: folder, ...options });
  const events: TurnEvent[] = [];
  for await (const event of session.prompt(script)) {
    events.push(event);
    if (event.kind === "end") break;
  }
  return events;
}

const results = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.kind === "tool-end" ? [`${event.outcome}: ${event.output}`] : []));

describe("a turn as events", () => {
  test("text, thinking, calls with their results, and the end with what it used", async () => {
    const events = await played('think hm\nsay one\ncall counts {"n":7}\nsay two');
    expect(events.flatMap((event) => (event.kind === "text" ? [event.text] : [])).join("|")).toBe("one|two");
    expect(events).toContainEqual({ kind: "thinking", text: "hm" });
    expect(events).toContainEqual(expect.objectContaining({ kind: "tool", title: "counts", input: '{"n":7}' }));
    expect(results(events)).toEqual([expect.stringContaining('"counted": 7')]);
    expect(events.at(-1)).toMatchObject({ kind: "end", outcome: "completed", text: "two", error: null });
    const end = events.at(-1);
    expect(end?.kind === "end" && end.usage.input > 0 && end.usage.output > 0).toBe(true);
  });

  test("a long answer comes whole, however it was stored", async () => {
    expect(await (await nomos.session({ cwd: folder, model: "long/any" })).answer("Talk.")).toBe(WORDS);
  });

  test("the signal interrupts the turn, and the loop throws its reason", async () => {
    const session = await nomos.session({ cwd: folder });
    const stopping = new AbortController();
    const reading = (async () => {
      for await (const event of session.prompt("say begun\nsleep 60000\nsay never", { signal: stopping.signal }))
        if (event.kind === "text") stopping.abort(new Error("enough"));
    })();
    await expect(reading).rejects.toThrow("enough");
    await nomos.client.session.wait({ id: session.id });
    const { turns } = await nomos.client.session.turns({ id: session.id });
    expect(turns.map(({ outcome }) => outcome)).toEqual(["interrupted"]);
    await expect(session.answer("say x", { signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow("before");
  });

  test("a session goes on by its id, and a schema of one answer does not stay", async () => {
    const { id } = await nomos.session({ cwd: folder });
    const schema = { type: "object", properties: { n: { type: "integer", minimum: 2 } }, required: ["n"] };
    expect(await (await nomos.session({ id })).answer("say x", { schema })).toEqual({ n: 2 });
    expect(await (await nomos.session({ id })).answer("say plain")).toBe("plain");
  });
});

test("follow finds the running turn of a session that has more turns than a page", async () => {
  const session = await nomos.session({ cwd: folder, agent: "demo" });
  for (let turn = 1; turn <= 100; turn += 1) await session.answer("say x");
  const { turnId } = await nomos.client.session.prompt({ id: session.id, prompt: "sleep 300\nsay last" });
  const seen: TurnEvent[] = [];
  for await (const event of session.follow()) seen.push(event);
  expect(seen.at(-1)).toMatchObject({ kind: "end", turnId, text: "last" });
});

describe("an answer that has to fit a schema", () => {
  const schema = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] };

  proves(
    "EMB-4",
    "one that does not fit is asked for again; one that never fits is refused, not returned",
    async () => {
      const session = await nomos.session({ cwd: folder, model: "unfit/any" });
      expect(await session.answer("How many?", { schema })).toEqual({ n: 3 });
      expect(asked.slice(1)).toEqual(Array(2).fill(expect.stringContaining("$.n is string, not integer")));
      const never = await nomos.session({ cwd: folder, model: "unfit/any" });
      await expect(never.answer("Never.", { schema })).rejects.toMatchObject({
        ...{ code: "schema_unmet", details: { text: '{"n":"many"}' } },
        message: expect.stringContaining("$.n is string, not integer"),
      });
      expect(asked).toHaveLength(6);
    },
  );

  proves("EMB-4", "an agent without schemas reads it in the prompt; a schema that is none is refused", async () => {
    const session = await nomos.session({ cwd: folder, agent: "demo" });
    expect(await session.answer('say {"n": 4}', { schema })).toEqual({ n: 4 });
    expect(await session.answer("say one\nsay two")).toBe("one\ntwo");
    const bad = session.answer("say x", { schema: { type: "number", minimum: "much" } });
    await expect(bad).rejects.toMatchObject({ code: "invalid_request", message: expect.stringContaining("minimum") });
  });
});

describe("the program's own tools", () => {
  test.each([
    ["one that throws", "call throws {}", /out of paper/],
    ["one that never answers", "call hangs {}", /did not answer within 300 ms/],
    ["an input that does not fit", 'call counts {"n":"seven"}', /input does not fit/],
  ])("%s: the model is told, and the turn goes on", async (_what, script, told) => {
    const before = ran.length;
    const events = await played(`${script}\nsay on`);
    expect(results(events)).toEqual([expect.stringMatching(told)]);
    expect(results(events)[0]).toMatch(/^failed/);
    expect(events.at(-1)).toMatchObject({ outcome: "completed", text: "on" });
    expect(ran.length).toBe(before);
  });

  test.each([
    ["two of one name", [{ name: "a" }, { name: "a" }], /two tools/],
    ["a name with a space", [{ name: "a b" }], /letters, digits/],
    ["no function", [{ name: "a", run: null }], /no function/],
    ["a schema that is none", [{ name: "a", input: { type: "rubbish" } }], /no JSON schema/],
  ])("%s: refused before anything starts", async (_what, tools, told) => {
    const home = join(folder, "never");
    const given = tools.map((tool) => ({ description: "", run: () => "", ...tool })) as never;
    await expect(createNomos({ home, tools: given })).rejects.toThrow(told);
    expect(existsSync(home)).toBe(false);
  });
});

describe("the program's policy", () => {
  proves("EMB-2", "deny, a throw and a promise all refuse; allow adds nothing", async () => {
    for (const said of [() => "deny", () => thrown(), async () => "allow"] as (() => PolicyVerdict)[]) {
      policy = (verb) => (verb === "tool.counts" ? said() : "allow");
      const before = ran.length;
      expect(results(await played('call counts {"n":1}\nsay x'))[0]).toMatch(/^failed/);
      expect(ran.length).toBe(before);
    }
    policy = () => "allow";
    await nomos.client.config.set({
      config: { policy: { rules: [{ id: "no", effect: "deny", verb: "tool.counts", resource: "**" }] } },
    });
    expect(results(await played('call counts {"n":2}\nsay x'))[0]).toMatch(/^failed/);
    await nomos.client.config.set({ config: { policy: null } });
    expect(results(await played('call counts {"n":3}\nsay x'))[0]).toMatch(/^done/);
  });

  proves("EMB-2", "ask waits for an answer, of the loop or of anybody else", async () => {
    policy = (verb) => (verb === "tool.write" ? "ask" : "allow");
    const session = await nomos.session({ cwd: folder });
    const seen: string[] = [];
    for await (const event of session.prompt("write yes.txt 1\nwrite no.txt 2\nsay done"))
      if (event.kind === "approval") {
        seen.push(`${event.action?.verb} ${event.detail.path}`);
        if (event.detail.path === "yes.txt") await event.approve();
        else await event.reject("not this one");
      }
    policy = () => "allow";
    expect(seen).toEqual(["tool.write yes.txt", "tool.write no.txt"]);
    expect([existsSync(join(folder, "yes.txt")), existsSync(join(folder, "no.txt"))]).toEqual([true, false]);
  });

  proves("EMB-2", "a search is asked about as all files, so that a policy about one file can refuse it", async () => {
    policy = (verb, resource) => (verb === "tool.read" && resource === "path/**" ? "deny" : "allow");
    expect(results(await played('call grep {"pattern":"x"}\nsay x'))[0]).toMatch(/^failed/);
    policy = () => "allow";
    expect(results(await played('call grep {"pattern":"x"}\nsay x'))[0]).toMatch(/^done/);
  });
});

function thrown(): never {
  throw new Error("the policy is broken");
}

describe("what goes wrong is said with a code and a remedy", () => {
  test("an unknown agent, an unknown model, a broken model, a foreign agent without a port", async () => {
    await expect(nomos.session({ agent: "nomso" })).rejects.toMatchObject({ code: "agent_not_found" });
    await expect(nomos.session({ model: "acme/large" })).rejects.toMatchObject({ code: "unknown_model" });
    const broken = await nomos.session({ model: "broken/any", cwd: folder });
    await expect(broken.answer("hello")).rejects.toThrow(/the program's model is broken/);
    const number = await nomos.session({ model: "number/any", cwd: folder });
    await expect(number.answer("hello")).rejects.toThrow(/neither text nor pieces/);
    const midway = await nomos.session({ model: "midway/any", cwd: folder });
    await expect(midway.answer("hello")).rejects.toThrow(/and break/);
    await expect(nomos.session({ agent: "claude" })).rejects.toMatchObject({ code: "listen_required" });
  });

  proves("EMB-3", "a start that fails gives the home back, and says why", async () => {
    const home = join(folder, "again");
    await using taken = await createNomos({ home: join(folder, "taken"), listen: true });
    const listen = Number(new URL(taken.url ?? "").port);
    await expect(createNomos({ home, listen })).rejects.toMatchObject({ code: "port_in_use" });
    await expect(createNomos({ home, listen: 99_999 })).rejects.toMatchObject({ code: "usage" });
    const tools = [{ name: "read", description: "", run: () => "" }];
    await expect(createNomos({ home, tools })).rejects.toThrow(/There is a built-in tool `read`/);
    await using again = await createNomos({ home, model: "demo/script" });
    expect(await (await again.session({ cwd: folder })).answer("say here")).toBe("here");
    await expect(again.client.dashboard.open({})).rejects.toMatchObject({ code: "listen_required" });
  });

  test("no model: the turn fails, and the loop throws after its end", async () => {
    await using bare = await createNomos({ home: join(folder, "bare") });
    const session = await bare.session({ cwd: folder });
    await expect(session.answer("hello")).rejects.toMatchObject({ code: "no_model" });
  });

  test("a home that cannot be written, and a configuration that is none", async () => {
    const locked = join(folder, "locked");
    await mkdir(locked, { mode: 0o500 });
    const isRoot = process.getuid?.() === 0;
    onTestFinished(() => chmod(locked, 0o700));
    const refused = createNomos({ home: isRoot ? "/proc/no-home" : join(locked, "home") });
    await expect(refused).rejects.toMatchObject({ code: expect.stringMatching(/^(store_read_only|home_unusable)$/) });
    const config = { limits: { homeBytes: "much" } };
    await expect(createNomos({ home: join(folder, "c"), config })).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("one home, two programs", () => {
  proves("EMB-3", "the second connects to the first; with tools of its own it is refused", async () => {
    await using second = await createNomos({ home: join(folder, "home") });
    const session = await second.session({ cwd: folder, model: "demo/script" });
    expect(await session.answer("say by the socket")).toBe("by the socket");
    expect((await nomos.client.session.show({ id: session.id })).id).toBe(session.id);
    const own = createNomos({ home: join(folder, "home"), policy: () => "allow" });
    await expect(own).rejects.toMatchObject({ code: "home_in_use", remedy: expect.stringContaining("nomos down") });
  });

  proves("EMB-3", "a daemon that runs there is used, and outlives the program", async () => {
    const daemon = await startDaemon();
    const given = await createNomos({ home: daemon.home });
    const session = await given.session({ cwd: folder, model: "demo/script" });
    await given.close();
    expect((await daemon.call("GET", `/sessions/${session.id}`)).status).toBe(200);
    await using named = await createNomos({ daemon: daemon.url, token: daemon.token });
    expect(await (await named.session({ id: session.id })).answer("say again")).toBe("again");
    const own = createNomos({ daemon: true, home: daemon.home, tools: [] });
    await expect(own).rejects.toMatchObject({ code: "usage" });
  });

  test("what a program configures is not written to the home", async () => {
    const home = join(folder, "configured");
    const config = { policy: { rules: [] }, approvalWaitMs: 5000 };
    const given = await createNomos({ home, model: "demo/script", config, listen: true });
    expect(given.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await given.client.config.show()).toMatchObject({ config: { approvalWaitMs: 5000 } });
    await given.client.config.set({ config: { turnTimeoutMs: 600_000 } });
    await given.close();
    expect(JSON.parse(await readFile(join(home, "config.json"), "utf8"))).toEqual({ turnTimeoutMs: 600_000 });
  });
});
