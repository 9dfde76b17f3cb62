import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, vi } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { SPEC } from "../../../test/support/store-home.ts";
import {
  allowedEnvironment,
  createProcessHost,
  type ProcessHost,
  processIdentity,
  systemClock,
  systemFiles,
} from "../../host/index.ts";
import type { Json } from "../../kernel/index.ts";
import type { Reply, ServedTools, ToolSession, ToolSource } from "../../turns/index.ts";
import { createUserTools } from "./user-tools.ts";

vi.setConfig({ testTimeout: 60_000 });

let root = "";
let home = "";
let repository = "";
let host: ProcessHost;
let spawned: string[] = [];
let source: ToolSource;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "nomos-tools-")));
  home = join(root, "home");
  await mkdir(join(home, "tools"), { recursive: true });
  host = createProcessHost({ home, bwrapPath: null });
});
afterAll(async () => {
  await host.stopAll({ graceMs: 0 });
  await rm(root, { recursive: true });
});

beforeEach(async () => {
  repository = await mkdtemp(join(root, "repository-"));
  await rm(join(home, "tools"), { recursive: true });
  await rm(join(home, "tool-answers.json"), { force: true });
  await mkdir(join(home, "tools"));
  await mkdir(join(repository, ".nomos", "tools"), { recursive: true });
  await mkdir(join(repository, ".git"));
  spawned = [];
  source = open();
});

function open(
  limits = { loadMs: 20_000, callMs: 20_000, memoryMb: 512 },
  steadyMs = () => performance.now(),
): ToolSource {
  return createUserTools({
    home,
    files: systemFiles(),
    taken: ["read", "terminal"],
    clock: { ...systemClock(), steadyMs },
    limits: () => limits,
    log: () => undefined,
    spawn: ({ spec }, argv, { memoryMb }) => {
      spawned.push(spec.cwd);
      return host.spawn({
        ...{ argv, cwd: spec.cwd, stdin: "pipe", limits: { memoryMb, openFilesMax: null } },
        env: allowedEnvironment({ PATH: process.env["PATH"] }),
      });
    },
  });
}

const YES: Reply = { approved: true, option: null };
const NO: Reply = { approved: false, reason: null };
const DENIED: Reply = { approved: false, reason: "denied: no_questions" };

interface Asking {
  readonly questions: string[];
  readonly tools: (reply?: Reply | null) => Promise<ServedTools>;
}

function asking(): Asking {
  const questions: string[] = [];
  return {
    questions,
    tools: (reply = YES) => source.tools(sessionOf(reply, questions)),
  };
}

function sessionOf(reply: Reply | null, questions: string[] = []): ToolSession {
  const ask: ToolSession["ask"] = async (question) => {
    questions.push(question);
    return reply ?? NO;
  };
  return { sessionId: "s1", spec: { ...SPEC, cwd: repository, sandbox: "off" }, ask: reply === null ? null : ask };
}

const inHome = (name: string, text: string) => writeFile(join(home, "tools", name), text);
const inRepository = (name: string, text: string) => writeFile(join(repository, ".nomos", "tools", name), text);

async function call({ tools }: ServedTools, name: string, input: Json, signal = new AbortController().signal) {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  const { sessionId, spec } = sessionOf(null);
  return tool.run(input, { sessionId, spec, signal, turnId: "t", key: "k" });
}

const SHOUT = `
import { defineTool, type UserTool } from "nomos/tool";
const suffix: string = "!";
export default defineTool({
  description: "Shouts a word.",
  input: { type: "object", properties: { word: { type: "string" } }, required: ["word"], additionalProperties: false },
  redo: "safe",
  run: ({ word }: { word: string }, { cwd }) => word.toUpperCase() + suffix + " in " + cwd,
}) satisfies UserTool<{ word: string }>;
`;

proves(
  "UTL-1",
  "a file in the home is a tool: described, checked, run in the session's directory, reloaded",
  async () => {
    await inHome("shout.ts", SHOUT);
    const first = await source.tools(sessionOf(null));
    expect(first.problems).toEqual([]);
    expect(first.tools).toMatchObject([
      { name: "shout", description: "Shouts a word.", kind: "tool", redo: "safe", input: { required: ["word"] } },
    ]);
    expect(await call(first, "shout", { word: "hey" })).toEqual({
      content: [{ kind: "text", text: `HEY! in ${repository}` }],
      isError: false,
    });
    await expect(call(first, "shout", {})).rejects.toThrow("input has no word");
    await expect(call(first, "shout", { word: 5 })).rejects.toThrow("input.word is not of the type string");
    await expect(call(first, "shout", { word: "a", more: 1 })).rejects.toThrow("unknown member more");
    const loads = spawned.length;
    await source.tools(sessionOf(null));
    expect(spawned.length).toBe(loads);
    await inHome("shout.ts", SHOUT.replace("toUpperCase", "toLowerCase"));
    const second = await source.tools(sessionOf(null));
    expect(await call(second, "shout", { word: "HEY" })).toMatchObject({
      content: [{ text: `hey! in ${repository}` }],
    });
    // The model was told of the first file, so its call runs the first file.
    expect(await call(first, "shout", { word: "hey" })).toMatchObject({ content: [{ text: `HEY! in ${repository}` }] });
  },
);

proves("UTL-1", "a schema of a library, content with a picture, an error result, and what a tool logs", async () => {
  const zod = import.meta.resolve("zod");
  await inHome(
    "typed.ts",
    `import { z } from ${JSON.stringify(zod)};
     export default {
       name: "typed_tool", description: "typed", input: z.object({ n: z.number().int().default(3) }),
       run: ({ n }) => ({ content: [{ type: "text", text: String(n + 1) }, { type: "image", mediaType: "image/png", base64: "AAAA" }], isError: n > 9 }),
     };`,
  );
  await inHome(
    "plain.mjs",
    'export default { description: "plain", run: (input, { log }) => { log("looked"); console.log("noise"); return { rows: [1, 2] }; } };',
  );
  await inHome("quiet.js", 'export default { description: "quiet", run() {} };');
  await inHome(
    "thrower.js",
    'export default { description: "t", run(i, { log }) { log("before"); throw new Error("boom"); } };',
  );
  await inHome("helper.d.ts", "nothing that runs");
  await inHome(".hidden.ts", "nothing that runs");
  await inHome("notes.txt", "nothing that runs");
  const found = await source.tools(sessionOf(null));
  expect(found.problems).toEqual([]);
  expect(found.tools.map(({ name }) => name)).toEqual(["plain", "quiet", "thrower", "typed_tool"]);
  expect(await call(found, "typed_tool", {})).toMatchObject({
    content: [{ text: "4" }, { kind: "image", mediaType: "image/png" }],
    isError: false,
  });
  expect(await call(found, "typed_tool", { n: 10 })).toMatchObject({ isError: true });
  await expect(call(found, "typed_tool", { n: "x" })).rejects.toThrow(/n: .*number/);
  expect(await call(found, "plain", {})).toMatchObject({ content: [{ text: expect.stringContaining('"rows"') }] });
  expect(await call(found, "quiet", {})).toEqual({ content: [], isError: false });
  await expect(call(found, "thrower", {})).rejects.toThrow(/boom[\s\S]*before/);
});

const TRACE = (mark: string) => `
import { appendFileSync } from "node:fs";
appendFileSync(${JSON.stringify("TRACE")}, ${JSON.stringify(mark)});
export default { description: "traced", run: () => ${JSON.stringify(mark)} };
`;

proves(
  "UTL-2",
  "a repository's file does not run, nor is it imported, before a person says yes to its bytes",
  async () => {
    const trace = join(repository, "trace.txt");
    const traced = (mark: string) => TRACE(mark).replace('"TRACE"', JSON.stringify(trace));
    const ran = () => readFile(trace, "utf8").catch(() => "");
    const { questions, tools } = asking();
    await inRepository("deploy.ts", traced("1"));
    const sha256 = createHash("sha256").update(traced("1")).digest("hex");
    // Nobody can be asked, and nobody may be: it is named, and not remembered as a no.
    expect(await tools(null)).toMatchObject({
      tools: [],
      problems: [".nomos/tools/deploy.ts: no person has agreed to it yet"],
    });
    expect((await tools(DENIED)).tools).toEqual([]);
    expect(await ran()).toBe("");
    expect(spawned).toEqual([]);
    const agreed = await tools(YES);
    expect(agreed.tools.map(({ name }) => name)).toEqual(["deploy"]);
    expect(questions).toHaveLength(2);
    expect(questions[1]).toContain(`".nomos/tools/deploy.ts"`);
    expect(questions[1]).toContain(sha256);
    expect(await ran()).toBe("1");
    // The yes holds for the next session and the next daemon.
    source = open();
    await tools(NO);
    expect(questions).toHaveLength(2);

    await inRepository("deploy.ts", traced("2"));
    // A call of the old offer runs the old bytes, whatever the file is by now.
    expect(await call(agreed, "deploy", {})).toMatchObject({ content: [{ text: "1" }] });
    expect((await tools(NO)).tools).toEqual([]);
    expect(questions).toHaveLength(3);
    expect(await ran()).not.toContain("2");
    expect((await tools(YES)).tools).toEqual([]);
    expect(questions, "a no is remembered until the file changes").toHaveLength(3);
    await inRepository("deploy.ts", traced("3"));
    await tools(YES);
    expect(questions).toHaveLength(4);
    expect(await ran()).toMatch(/3$/);
    await inRepository("deploy.ts", traced("1"));
    expect((await tools(NO)).tools, "bytes that were agreed to before").toHaveLength(1);
  },
);

proves("UTL-2", "what a repository's file imports was not agreed to, so it cannot import it", async () => {
  const { questions, tools } = asking();
  await inRepository("lib.txt.mjs", "export default 1;");
  await rm(join(repository, ".nomos", "tools", "lib.txt.mjs"));
  await writeFile(
    join(repository, "lib.mjs"),
    'import { writeFileSync } from "node:fs"; writeFileSync("ran.txt", "x"); export default 1;',
  );
  await inRepository("a-static.mjs", 'import "../../lib.mjs"; export default { description: "d", run() {} };');
  await inRepository("b-dynamic.mjs", 'await import("../../lib.mjs"); export default { description: "d", run() {} };');
  await inRepository(
    "c-require.mjs",
    'import { createRequire } from "node:module"; createRequire(import.meta.url)("../../lib.mjs"); export default { description: "d", run() {} };',
  );
  await inRepository(
    "d-later.mjs",
    'export default { description: "d", async run() { await import("../../lib.mjs"); } };',
  );
  await inRepository("e-package.mjs", 'import "left-pad"; export default { description: "d", run() {} };');
  const found = await tools(YES);
  expect(questions).toHaveLength(1);
  expect(found.tools.map(({ name }) => name)).toEqual(["d-later"]);
  expect(found.problems).toHaveLength(4);
  for (const problem of found.problems) expect(problem).toContain("a repository's tool is one file");
  await expect(call(found, "d-later", {})).rejects.toThrow("a repository's tool is one file");
  await expect(readFile(join(repository, "ran.txt"))).rejects.toThrow("ENOENT");
});

proves(
  "UTL-2",
  "links out of the folder, folders that are links, and what is no file are named and not read",
  async () => {
    const { questions, tools } = asking();
    await writeFile(join(root, "secret.mjs"), "the secret words");
    await symlink(join(root, "secret.mjs"), join(repository, ".nomos", "tools", "leak.mjs"));
    await mkdir(join(repository, ".nomos", "tools", "folder.ts"));
    const found = await tools(YES);
    expect(found.tools).toEqual([]);
    expect(questions).toEqual([]);
    expect(found.problems.join("\n")).toMatch(/folder\.ts: it is a link[\s\S]*leak\.mjs: it is a link/);
    expect(found.problems.join("\n")).not.toContain("secret words");
    await rename(join(repository, ".nomos"), join(root, `moved-${Math.random()}`));
    await symlink(join(home), join(repository, ".nomos"));
    await inHome("own.mjs", 'export default { description: "own", run: () => "own" };');
    const linked = await tools(YES);
    expect(linked.tools.map(({ name }) => name)).toEqual(["own"]);
    expect(linked.problems).toEqual([".nomos is no folder: left out"]);
    expect(questions).toEqual([]);
  },
);

proves("UTL-1", "a folder of the home that is a link of the person's works like any other", async () => {
  const elsewhere = await mkdtemp(join(root, "elsewhere-"));
  await writeFile(join(elsewhere, "lib.txt"), "a word");
  await writeFile(
    join(elsewhere, "linked.mjs"),
    'import { readFileSync } from "node:fs"; export default { description: "d", run: () => readFileSync(new URL("./lib.txt", import.meta.url), "utf8") };',
  );
  await rm(join(home, "tools"), { recursive: true });
  await symlink(elsewhere, join(home, "tools"));
  const found = await source.tools(sessionOf(null));
  expect(await call(found, "linked", {})).toMatchObject({ content: [{ text: "a word" }] });
});

proves("UTL-3", "a file whose loading was interrupted is not taken for a broken one", async () => {
  await inHome(
    "slow.mjs",
    'await new Promise((r) => setTimeout(r, 300)); export default { description: "d", run() {} };',
  );
  let nowMs = 0;
  source = open(undefined, () => nowMs);
  const first = source.tools(sessionOf(null));
  await vi.waitFor(() => expect(spawned).toHaveLength(1));
  await host.stopAll({ graceMs: 0 });
  expect((await first).problems.join()).toContain("before it answered");
  nowMs = 61_000;
  expect((await source.tools(sessionOf(null))).problems).toEqual([]);
});

proves("UTL-3", "broken files are named and leave the others alone", async () => {
  source = open({ loadMs: 4000, callMs: 4000, memoryMb: 128 });
  await inHome("a-good.ts", 'export default { description: "good", run: () => "good" };');
  await inHome("b-syntax.ts", "export default {{{");
  await inHome("c-endless.mjs", "for (;;) {}");
  await inHome("d-waits.mjs", "await new Promise(() => setInterval(() => {}, 1000));");
  await inHome("e-exits.mjs", "process.exit(0);");
  await inHome("f-floods.mjs", 'const piece = "x".repeat(1e6) + "\\n"; for (;;) process.stdout.write(piece);');
  await inHome("g-leaks.mjs", "const kept = []; for (;;) kept.push(Buffer.alloc(1e7, 1));");
  await inHome("h-heap.mjs", "const kept = []; for (;;) kept.push({ a: [kept.length], b: String(kept.length) });");
  await inHome("i-nothing.mjs", "export const tool = 1;");
  await inHome("j-nameless.mjs", "export default { run() {} };");
  await inHome("k-runless.mjs", 'export default { description: "x" };');
  await inHome("l-schema.mjs", 'export default { description: "x", input: { type: "string" }, run() {} };');
  await inHome("read.mjs", 'export default { description: "takes a name", run() {} };');
  await inHome("m-twice.mjs", 'export default { name: "a-good", description: "x", run() {} };');
  await inHome("n-crash.mjs", "process.kill(process.pid, 'SIGSEGV'); await new Promise(() => {});");
  await writeFile(join(home, "tools", "o-large.mjs"), `// ${"x".repeat(300_000)}`);
  const { tools, problems } = await source.tools(sessionOf(null));
  expect(tools.map(({ name }) => name)).toEqual(["a-good"]);
  const of = (name: string) => problems.find((problem) => problem.includes(`/${name}`)) ?? "";
  expect(of("b-syntax")).toMatch(/SyntaxError|Expression expected|Unexpected/);
  expect(of("c-endless")).toContain("did not answer within 4 s");
  expect(of("d-waits")).toContain("did not answer within 4 s");
  expect(of("e-exits")).toContain("ended with exit code 0 before it answered");
  expect(of("f-floods")).toMatch(/printed more than 16 MB|did not answer|before it answered/);
  expect(of("g-leaks")).not.toBe("");
  expect(of("h-heap")).not.toBe("");
  expect(of("i-nothing")).toMatch(/i-nothing\.mjs: it exports no tool as default$/);
  expect(problems.join("\n")).not.toMatch(/^\s+at /m);
  expect(of("j-nameless")).toContain("no `description`");
  expect(of("k-runless")).toContain("no function `run`");
  expect(of("l-schema")).toContain("no JSON schema of an object");
  expect(of("read.mjs")).toContain("there is a built-in tool read");
  expect(of("m-twice")).toContain("there is another tool a-good");
  expect(of("n-crash")).toContain("before it answered");
  expect(of("o-large")).toContain("more than 262144 bytes");
  expect(problems).toHaveLength(15);
});

proves("UTL-3", "many files that never load hold up a turn once, and for a bounded time", async () => {
  let nowMs = 0;
  source = open({ loadMs: 600, callMs: 4000, memoryMb: 128 }, () => nowMs);
  for (let at = 0; at < 12; at += 1)
    await inHome(`endless-${at}.mjs`, `await new Promise(() => setInterval(() => ${at}, 1000));`);
  const startedMs = performance.now();
  const { problems } = await source.tools(sessionOf(null));
  expect(performance.now() - startedMs).toBeLessThan(3000);
  expect(problems).toHaveLength(12);
  expect(problems.join()).toContain("it is still being loaded");
  while ((await source.tools(sessionOf(null))).problems.join().includes("still being loaded")) nowMs += 1;
  nowMs += 120_000;
  const loadsBefore = spawned.length;
  const againMs = performance.now();
  expect((await source.tools(sessionOf(null))).problems.join()).toContain("did not answer within 0.6 s");
  expect(performance.now() - againMs).toBeLessThan(600);
  expect(spawned.length).toBeGreaterThan(loadsBefore);
});

proves("UTL-3", "a call that loops, leaks, floods, forks or lies ends as an error within its time", async () => {
  source = open({ loadMs: 20_000, callMs: 4000, memoryMb: 128 });
  await inHome("loops.mjs", 'export default { description: "d", run() { for (;;) {} } };');
  await inHome(
    "leaks.mjs",
    'export default { description: "d", run() { const k = []; for (;;) k.push(Buffer.alloc(1e7, 1)); } };',
  );
  await inHome(
    "floods.mjs",
    'export default { description: "d", run() { const p = "x".repeat(1e6); for (;;) process.stdout.write(p); } };',
  );
  await inHome(
    "forks.mjs",
    `import { spawn } from "node:child_process";
     export default { description: "d", run() { const one = spawn("sleep", ["987654"], { stdio: "ignore" }); return String(one.pid); } };`,
  );
  await inHome(
    "lies.mjs",
    `export default { description: "d", run() { return { content: [{ type: "text", text: "x".repeat(20e6) }] }; } };`,
  );
  await inHome(
    "waits.mjs",
    'export default { description: "d", run: (i, { signal }) => new Promise((r, no) => signal.addEventListener("abort", () => no(signal.reason))) };',
  );
  const found = await source.tools(sessionOf(null));
  expect(found.problems).toEqual([]);
  const failed = async (name: string) =>
    call(found, name, {}).then(
      () => "",
      (thrown: Error) => thrown.message,
    );
  const [loops, leaks, floods, lies] = await Promise.all(["loops", "leaks", "floods", "lies"].map(failed));
  expect(loops).toContain("did not answer within");
  expect(leaks).not.toBe("");
  expect(floods).toMatch(/more than 16 MB|did not answer|before it answered/);
  expect(lies).toMatch(/more than 16 MB|too much|did not answer/);
  const { content } = await call(found, "forks", {});
  const pid = Number(content[0]?.kind === "text" ? content[0].text : 0);
  expect(processIdentity(pid)).toBeNull();
  const controller = new AbortController();
  const waiting = call(found, "waits", {}, controller.signal);
  setTimeout(() => controller.abort(), 300);
  await expect(waiting).rejects.toThrow(/interrupted|given up/);
});
