import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { answer, calling } from "../../engine/model-server/index.ts";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { eventsOf, expectOk, newFolder, PATIENCE, pendingOf, prompt, typesOf } from "../support/talk.ts";
import { call, expectValid, messagesOf, resultsIn, textOf } from "./support/chat.ts";
import { begin, COMPLETED, openStage, play, resultOf, type Scene, type Stage } from "./support/scenes.ts";

vi.setConfig(PATIENCE);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** Printed by a command; its output has about seven bytes for each. */
const LINES = sampled(2_900_000, 400_000);
/** Of a file with 15 bytes in each: 100 MB. */
const FILE_LINES = sampled(7_000_000, 700_000);

/** One turn whose first answer calls these; resolves with what the model was told of them. */
async function results(
  { model, queue, requests }: Scene,
  calls: readonly ReturnType<typeof call>[],
  body: Readonly<Record<string, unknown>> = {},
): Promise<readonly string[]> {
  queue(calling(...calls), answer("Done."));
  const { id } = await begin(stage.daemon(), model, body);
  expect(await play(stage.daemon(), id, "go")).toMatchObject(COMPLETED);
  expectValid(requests()[1]);
  return resultsIn(requests()[1]);
}

proves.concurrent(
  "ENG-9",
  "a command that hangs goes on in the background after its time, and ends with the turn",
  async () => {
    const cwd = await newFolder();
    const command = "echo begun; sleep 60; echo never > never.txt";
    const beganMs = performance.now();
    const [result] = await results(stage.scene(), [call("terminal", { command, timeoutMs: 1000 })], { cwd });
    expect(result).toMatch(/begun.*still running after 1 s/s);
    expect(performance.now() - beganMs).toBeLessThan(15_000);
    expect(existsSync(join(cwd, "never.txt"))).toBe(false);
    expect(() => execFileSync("pgrep", ["-f", `${cwd}/none|never.txt`])).toThrow();
  },
);

proves.concurrent(
  "ENG-9",
  "a command that prints megabytes: the model sees both ends, and pages through the rest byte by byte",
  async () => {
    const { model, queue, decide, requests } = stage.scene();
    queue(calling(call("terminal", { command: `seq 1 ${LINES}; exit 3` })));
    const effectIn = (text: string) => /"effectId": "([^"]+)"/.exec(text)?.[1] ?? "";
    const froms = [0, 30_000, LINES * 6];
    decide((request) => {
      const from = froms.shift();
      const effectId = effectIn(resultsIn(request)[0] ?? "");
      return from === undefined ? answer("Read.") : calling(call("process", { action: "output", effectId, from }));
    });
    const { id } = await begin(stage.daemon(), model);
    expect(await play(stage.daemon(), id, "go")).toMatchObject(COMPLETED);
    const [shown = "", ...pages] = resultsIn(requests().at(-1));
    expect(shown.length).toBeLessThan(32_000);
    expect(shown).toMatch(new RegExp(`^1\\n2\\n3\\n.*B left out.*\\n${LINES}\\n\\[exit code 3\\]$`, "s"));
    const whole = Array.from({ length: LINES }, (_, n) => `${n + 1}\n`).join("");
    for (const [index, from] of [0, 30_000, LINES * 6].entries()) {
      const page = pages[index]?.replace(/\n\[[^\]]*\]$/, "") ?? "";
      expect(page.length).toBeGreaterThan(30_000);
      expect(whole.slice(from, from + page.length) === page).toBe(true);
    }
  },
);

proves.concurrent("ENG-9", "outputs just below and above a page: nothing is lost without a note", async () => {
  const said = await results(stage.scene(), [
    call("terminal", { command: "seq 1 6000" }),
    call("terminal", { command: "seq 1 12000; exit 4" }),
  ]);
  expect(said[0]).toBe(Array.from({ length: 6000 }, (_, n) => n + 1).join("\n"));
  expect(said[1]).toMatch(/^1\n2\n.*left out; read them with process.*\n12000\n\[exit code 4\]$/s);
});

proves.concurrent(
  "ENG-9",
  "a file of 200 KB is written as the model sent it, and the model sees its own call whole",
  async () => {
    const { model, queue, requests } = stage.scene();
    const cwd = await newFolder();
    const content = Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`).join("");
    const long = "a long answer ".repeat(3000);
    queue({ do: "answer", text: long, calls: [call("write", { path: "big.txt", content })] }, answer("Written."));
    const { id } = await begin(stage.daemon(), model, { cwd });
    expect(await play(stage.daemon(), id, "go")).toMatchObject(COMPLETED);
    expect(readFileSync(join(cwd, "big.txt"), "utf8") === content).toBe(true);
    const sent = messagesOf(requests()[1]).find(({ role }) => role === "assistant");
    expect(JSON.parse(sent?.tool_calls?.[0]?.function.arguments ?? "{}").content === content).toBe(true);
    expect(textOf(sent ?? { role: "assistant" })).toBe(long);
  },
);

proves.concurrent(
  "ENG-9",
  "a file of 100 MB is read in pages, a binary one is named, an empty one is said to be",
  async () => {
    const cwd = await newFolder();
    writeFileSync(join(cwd, "big.txt"), "first line\n");
    writeFileSync(join(cwd, "lines.txt"), "a line of text\n".repeat(FILE_LINES));
    truncateSync(join(cwd, "big.txt"), 104_857_600);
    writeFileSync(
      join(cwd, "program"),
      Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), Buffer.alloc(64)]),
    );
    writeFileSync(join(cwd, "empty"), "");
    const read = (path: string, more: object = {}) => call("read", { path, ...more });
    const said = await results(
      stage.scene(),
      [
        read("lines.txt"),
        read("lines.txt", { offset: FILE_LINES - 10 }),
        read("program"),
        read("empty"),
        read("big.txt"),
      ],
      { cwd },
    );
    expect(said[0]).toMatch(/^1\ta line of text\n.*go on with offset: 2001\]$/s);
    expect(said[1]).toContain(`${FILE_LINES}\ta line of text`);
    expect(said[2]).toMatch(/program is .*cannot be read as text/);
    expect(said[3]).toContain("is empty");
    expect(said[4]?.length).toBeLessThan(51_000);
  },
);

proves.concurrent("ENG-9", "an edit that matches twice changes nothing and says how often and where", async () => {
  const cwd = await newFolder();
  writeFileSync(join(cwd, "a.txt"), "same\nother\nsame\n");
  const edits = [{ old: "same", new: "new" }];
  const [twice, never] = await results(
    stage.scene(),
    [
      call("edit", { path: "a.txt", edits }),
      call("edit", { path: "a.txt", edits: [{ old: "nowhere", new: "x" }] }),
      call("edit", { path: "a.txt", edits: [{ old: "other", new: "changed" }] }),
    ],
    { cwd },
  );
  expect(twice).toMatch(/2|twice/);
  expect(twice).toMatch(/line/);
  expect(never).toMatch(/not (?:found|there)|no match|does not/i);
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("same\nchanged\nsame\n");
});

proves.concurrent(
  "ENG-9",
  "paths outside of the session's directory are refused by every tool, also through a link",
  async () => {
    const [cwd, outside] = [await newFolder(), await newFolder()];
    writeFileSync(join(outside, "secret.txt"), "TOPSECRET");
    execFileSync("ln", ["-s", outside, join(cwd, "way-out")]);
    const paths = [join(outside, "secret.txt"), "../../etc/passwd", "way-out/secret.txt", "/etc/passwd"];
    const said = await results(
      stage.scene(),
      [
        ...paths.map((path) => call("read", { path })),
        ...[join(outside, "new.txt"), "../new.txt", "way-out/new.txt"].map((path) =>
          call("write", { path, content: "x" }),
        ),
        call("grep", { pattern: "TOPSECRET", path: outside }),
        call("ls", { path: "way-out" }),
        call("edit", { path: "way-out/secret.txt", edits: [{ old: "TOP", new: "NOT" }] }),
      ],
      { cwd },
    );
    for (const one of said) {
      expect(one).toMatch(/outside/);
      expect(one).not.toContain("TOPSECRET");
    }
    expect(said.length).toBe(10);
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("TOPSECRET");
    expect(existsSync(join(outside, "new.txt"))).toBe(false);
  },
);

proves.concurrent(
  "ENG-9",
  "a write and its edit are effects of their calls, with the difference, and undone by a rewind",
  async () => {
    const { model, queue } = stage.scene();
    const cwd = await newFolder();
    queue(answer("Hello."));
    const { id } = await begin(stage.daemon(), model, { cwd });
    await play(stage.daemon(), id, "hello");
    queue(
      calling(call("write", { path: "src/a.txt", content: "one\ntwo\n" })),
      calling(call("edit", { path: "src/a.txt", edits: [{ old: "two", new: "three" }] })),
      answer("Changed."),
    );
    expect(await play(stage.daemon(), id, "change it")).toMatchObject(COMPLETED);
    expect(readFileSync(join(cwd, "src/a.txt"), "utf8")).toBe("one\nthree\n");
    const events = await eventsOf(stage.daemon(), id);
    const calls = events.filter(({ type }) => type === "tool.called@1").map(({ data }) => data["callId"]);
    const effects = events.filter(({ type }) => type === "effect.intended@1");
    expect(effects.map(({ data }) => data["kind"])).toEqual(["write", "edit"]);
    expect(effects.map(({ data }) => data["callId"])).toEqual(calls);
    const rewound = await stage.daemon().call("POST", `/sessions/${id}/rewind`, { turn: 1 });
    expect(rewound.status, rewound.text).toBe(200);
    expect(existsSync(join(cwd, "src/a.txt"))).toBe(false);
  },
);

proves.concurrent("ENG-9", "a question of the model waits for a person, and the answer is its result", async () => {
  const { model, queue, requests } = stage.scene();
  queue(
    calling(
      call("todo", { items: [{ text: "ask first", status: "active" }] }),
      call("artifact", { name: "plan.md", content: "# Plan" }),
      call("ask_user", { question: "Which colour?", options: ["red", "green"] }),
    ),
    answer("Green it is."),
  );
  const { id } = await begin(stage.daemon(), model);
  const { turnId } = await prompt(stage.daemon(), id, "paint it");
  const asked = await pendingOf(stage.daemon(), id);
  expect(asked).toMatchObject({ question: "Which colour?", options: expect.arrayContaining(["red", "green"]) });
  expectOk(await stage.daemon().call("POST", `/api/approvals/${asked.id}/approve`, { option: "green" }));
  expect(await resultOf(stage.daemon(), id, turnId)).toMatchObject(COMPLETED);
  expect(resultsIn(requests()[1])[2]).toContain("green");
  const types = typesOf(await eventsOf(stage.daemon(), id));
  expect(types).toContain("todo.replaced@1");
  expect(types).toContain("artifact.written@1");
});

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

proves.concurrent(
  "ENG-10",
  "images in a prompt and out of the read tool reach the model, also after a restart of the engine's memory",
  async () => {
    const { anthropic, queue, requests } = stage.scene();
    const cwd = await newFolder();
    writeFileSync(join(cwd, "dot.png"), Buffer.from(PNG, "base64"));
    queue(calling(call("read", { path: "dot.png" })), answer("A dot."), answer("Still a dot."));
    const { id } = await begin(stage.daemon(), anthropic, { cwd });
    const attachments = [
      { kind: "image", name: "given.png", mediaType: "image/png", data: PNG },
      {
        kind: "resource",
        name: "note.txt",
        mediaType: "text/plain",
        data: Buffer.from("CODEWORD=ash").toString("base64"),
      },
    ];
    expect(await play(stage.daemon(), id, "look", { attachments })).toMatchObject(COMPLETED);
    const images = (request: { readonly body: unknown } | undefined) =>
      JSON.stringify(request?.body).split(`"data":"${PNG}"`).length - 1;
    expect(images(requests()[0])).toBe(1);
    expect(JSON.stringify(requests()[0]?.body)).toContain("CODEWORD=ash");
    expect(images(requests()[1])).toBe(2);
    const [result] = await eventsOf(stage.daemon(), id, "types=tool.ended");
    expect(result?.data["images"]).toMatchObject([
      { mediaType: "image/png", bytes: Buffer.from(PNG, "base64").length },
    ]);
    // A fork reads all of it from the log.
    const fork = await stage.daemon().call<{ id: string }>("POST", `/sessions/${id}/fork`, {});
    expect(await play(stage.daemon(), fork.body.id, "and now?")).toMatchObject(COMPLETED);
    expect(images(requests()[2])).toBe(2);
  },
);

proves.concurrent(
  "ENG-10",
  "a session with a schema: the endpoint is asked for it, and the answer is JSON",
  async () => {
    const { model, queue, requests } = stage.scene();
    const schema = {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
      additionalProperties: false,
    };
    queue(answer('{"n":7}'));
    const { id } = await begin(stage.daemon(), model, { options: { schema: JSON.stringify(schema) } });
    expect(await play(stage.daemon(), id, "how many?")).toMatchObject(COMPLETED);
    expect(requests()[0]?.body).toMatchObject({ response_format: { type: "json_schema", json_schema: { schema } } });
    const [said] = await eventsOf(stage.daemon(), id, "types=message.completed");
    expect(said?.data["text"]).toBe('{"n":7}');
    const demo = await begin(stage.daemon(), "demo/script", { options: { schema: JSON.stringify(schema) } });
    expect(await play(stage.daemon(), demo.id, "how many?")).toMatchObject(COMPLETED);
    const [own] = await eventsOf(stage.daemon(), demo.id, "types=message.completed");
    expect(JSON.parse(String(own?.data["text"]))).toEqual({ n: 0 });
    const broken = await begin(stage.daemon(), model, { options: { schema: "{" } });
    expect((await play(stage.daemon(), broken.id, "x")).error).toMatchObject({ code: "invalid_request" });
  },
);

proves.skipIf(!needs("bwrap"))(
  "ENG-11",
  "case 26: a strict session: commands and tools work in its directory, and reach nothing outside",
  async () => {
    const [cwd, outside] = [await newFolder(), await newFolder()];
    writeFileSync(join(outside, "secret.txt"), "TOPSECRET");
    execFileSync("git", ["init", "-q", "-b", "main", cwd]);
    const { model, queue, requests } = stage.scene();
    const run = (command: string) => call("terminal", { command });
    queue(
      calling(
        run("echo hello > made.txt && cat made.txt"),
        run("touch /etc/nomos-was-here"),
        run(`cat ${outside}/secret.txt`),
        call("write", { path: "by-tool.txt", content: "written" }),
        call("read", { path: "made.txt" }),
        call("read", { path: join(outside, "secret.txt") }),
        call("git", { action: "status" }),
      ),
      calling(
        call("process", {
          action: "start",
          command: `cat ${outside}/secret.txt; touch /etc/nomos-was-here; echo over`,
        }),
      ),
      calling(call("terminal", { command: "sleep 0.5" }), call("process", { action: "list" })),
      answer("Done."),
    );
    const { id } = await begin(stage.daemon(), model, { cwd, sandbox: "strict" });
    expect(await play(stage.daemon(), id, "go")).toMatchObject(COMPLETED);
    const said = resultsIn(requests()[1]);
    expect(said[0]).toBe("hello");
    expect(said[1]).toMatch(/Read-only|denied|No such/);
    expect(said[2]).toMatch(/No such file|denied/);
    expect(said[5]).toMatch(/outside/);
    expect(said[6]).toContain("made.txt");
    expect(said.join("\n")).not.toContain("TOPSECRET");
    expect(readFileSync(join(cwd, "by-tool.txt"), "utf8")).toBe("written");
    expect(existsSync("/etc/nomos-was-here")).toBe(false);
    const printed = await eventsOf(stage.daemon(), id, "types=effect.output");
    expect(JSON.stringify(printed)).toContain("over");
    expect(JSON.stringify(printed)).not.toContain("TOPSECRET");
    const all = messagesOf(requests().at(-1)).map(textOf).join("\n");
    expect(all).not.toContain("TOPSECRET");
  },
);
