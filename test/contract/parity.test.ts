import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ERROR_CATALOGUE } from "../../src/contract/index.ts";
import { SYSCALLS } from "../../src/syscalls/index.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { startOAuthServer } from "../support/http-mcp-server.ts";
import { startLoginPage } from "../support/login-page.ts";
import { sampled } from "../support/sampled.ts";
import { createMask, shapeOf, withoutVolatile } from "./parity/mask.ts";
import { LAST_STEP, type Memory, STORY, type Step, UNKNOWN_ID } from "./parity/story.ts";
import { type Outcome, type Speaker, SURFACES } from "./parity/surfaces.ts";

const STORY_MAX_MS = 240_000;
const STREAM_ITEMS: ReadonlyMap<string, number> = new Map([
  ["session.stream", 1000],
  ["event.stream", 5],
  ["session.watch", 5],
  ["fan-out.watch", 1],
]);
const AT_ONCE = 4;
const BY_NAME = new Map(SYSCALLS.map((syscall) => [syscall.name, syscall]));

/** Of the two versions of MCP over HTTP, which share all but the handshake, a normal run takes the newer one. */
const SPOKEN = Object.entries(SURFACES).filter(([name]) => sampled(true, name !== "MCP 2025-11-25 over HTTP"));

/** On the command line many calls are a process each, and every refusal takes the same way. */
const REFUSAL_STEP: { readonly [surface: string]: number } = { "command line": sampled(1, 3) };

/** The command line asks git itself about these, and no daemon that could look at its token. */
const WITHOUT_DAEMON = new Set(
  ["verify", "check", "build", "compose", "import"].map((verb) => `governance.${verb} denied`),
);
const isAsked = (surface: string, step: string): boolean => surface !== "command line" || !WITHOUT_DAEMON.has(step);

/** The first step asks for the status: how far the tree is behind would depend on the machine. */
async function treeIsSigned({ call }: TestDaemon): Promise<void> {
  const isSigned = async () => {
    const { tree } = (await call<{ tree: { lag: number; size: number; checkpointSize: number } }>("GET", "/api/status"))
      .body;
    return tree.lag === 0 && tree.checkpointSize === tree.size;
  };
  await expect.poll(isSigned, { timeout: 60_000 }).toBe(true);
}

const EXO_CONSTITUTION = `# Rules

\`\`\`yaml exo-policy
id: DB-001
type: filesystem_deny
patterns: ["db/**"]
actions: [write]
message: "Add a new migration."
\`\`\`
`;

interface Told {
  readonly step: string;
  readonly outcome: unknown;
}

/** The answers of each surface to the same steps, masked. */
const told = new Map<string, readonly Told[]>();

test("every syscall has a step in which it succeeds", () => {
  const done = new Set(
    [...STORY, LAST_STEP].flatMap(({ syscall, refused }) => (refused === undefined ? [syscall] : [])),
  );
  expect(SYSCALLS.map(({ name }) => name).filter((name) => !done.has(name))).toEqual([]);
});

test("every step is a syscall, and is refused with a code of the catalogue", () => {
  for (const { syscall, refused } of STORY) {
    expect(BY_NAME.has(syscall)).toBe(true);
    if (refused !== undefined) expect(ERROR_CATALOGUE).toHaveProperty(refused);
  }
});

describe("the same steps on every surface", () => {
  test.each(SPOKEN)(
    "the steps run over %s",
    async (name, open) => {
      // Each surface has its own directory, so that none finds another's files.
      const cwd = await realpath(await mkdtemp(join(tmpdir(), "nomos-parity-")));
      onTestFinished(() => rm(cwd, { recursive: true, force: true }));
      makeRepository(join(cwd, "repo"));
      makeRepository(join(cwd, "law"), { ".nomos/config.yaml": "version: 1\n" });
      makeRepository(join(cwd, "ruled"), { "README.md": "# Ruled\n" });
      makeRepository(join(cwd, "exo"), { ".exo/CONSTITUTION.md": EXO_CONSTITUTION });
      const daemon = await startDaemon({ cwd });
      await treeIsSigned(daemon);
      const places = { [daemon.home]: "<home>", [cwd]: "<cwd>", [daemon.url]: "<url>" };
      const speaker = await open(daemon, daemon.token);
      await using page = await startLoginPage();
      await using remote = await startOAuthServer();
      const memory: Memory = { cwd, login: page.url, remote: remote.url };
      const story: Told[] = [];
      const mask = createMask(places, { numbered: true });
      for (const [at, step] of STORY.entries()) {
        const outcome = await play(speaker, step, memory);
        story.push({ step: `${at} ${step.syscall}`, outcome: mask(outcome) });
      }
      const plain = createMask(places, { numbered: false });
      const scoped = async (...capabilities: readonly string[]): Promise<Speaker> => {
        const { body } = await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities });
        return open(daemon, body.secret);
      };
      const blobReader = await scoped("blob.read");
      const lister = await scoped("session.list");
      const refused = [
        ...refusedIds(cwd).map(({ step, syscall, input }) => ({ step, ask: () => speaker.call(syscall, input) })),
        ...SYSCALLS.map((syscall) => {
          const nobody = syscall.permission === "blob.read" ? lister : blobReader;
          const ask = () => nobody.call(syscall, inputOf(syscall.name, memory));
          return { step: `${syscall.name} denied`, ask };
        }),
      ];
      const asked = refused.filter(({ step }, at) => at % (REFUSAL_STEP[name] ?? 1) === 0 && isAsked(name, step));
      const refusals = await inTurns(
        asked.map(({ step, ask }) => async () => ({ step, outcome: await ask() })),
      );
      for (const { step, outcome } of refusals) {
        expect([step, outcome]).toEqual([step, { error: expect.objectContaining({ code: expect.any(String) }) }]);
        story.push({ step, outcome: plain(outcome) });
      }
      for (const one of [blobReader, lister]) await one.close();
      story.push({ step: "last", outcome: mask(await play(speaker, LAST_STEP, memory)) });
      told.set(name, story);
      await speaker.close().catch(() => undefined);
    },
    STORY_MAX_MS,
  );

  test.each(SPOKEN.slice(1))("the answers over HTTP and over %s are the same", (name) => {
    const found = told.get(name) ?? [];
    const all = told.get("HTTP") ?? [];
    expect(all.length).toBeGreaterThan(STORY.length + SYSCALLS.length);
    const left = REFUSAL_STEP[name] ?? 1;
    const expected = all.filter(
      ({ step }, at) =>
        (at < STORY.length || (at - STORY.length) % left === 0 || at === all.length - 1) && isAsked(name, step),
    );
    expect(found.map(({ step }) => step)).toEqual(expected.map(({ step }) => step));
    for (const [at, one] of expected.entries()) expect({ name, ...found[at] }).toEqual({ name, ...one });
  });
});

/** Identical bytes each time. */
function makeRepository(path: string, files: Readonly<Record<string, string>> = {}): void {
  const identity = { name: "a", email: "a@b" };
  const at = "2026-01-01T00:00:00Z";
  const env = { ...process.env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", path, ...args], { env });
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", path]);
  for (const [name, value] of Object.entries(identity)) git("config", `user.${name}`, value);
  git("commit", "--quiet", "--allow-empty", "-m", "first");
  if (Object.keys(files).length === 0) return;
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(path, file, ".."), { recursive: true });
    writeFileSync(join(path, file), text);
  }
  git("add", ".");
  git("commit", "--quiet", "-m", "files");
}

async function play(speaker: Speaker, step: Step, memory: Memory): Promise<unknown> {
  const syscall = BY_NAME.get(step.syscall);
  if (syscall === undefined) throw new Error(`no syscall is named ${step.syscall}`);
  const items = STREAM_ITEMS.get(syscall.name);
  if (items !== undefined) {
    const followed = await speaker.follow(syscall, step.input(memory), items);
    return step.shape ? shapeOf(followed) : followed;
  }
  let outcome = await speaker.call(syscall, step.input(memory));
  while (step.until !== undefined && !("value" in outcome && step.until(outcome.value)))
    outcome = await speaker.call(syscall, step.input(memory));
  expect({ step: step.syscall, code: codeOf(outcome) }).toEqual({ step: step.syscall, code: step.refused ?? null });
  if (!("value" in outcome)) return outcome;
  step.keep?.(outcome.value, memory);
  if (step.shape) return { value: shapeOf(outcome.value) };
  if (syscall.http.cookie !== undefined) return { value: withoutMember(outcome.value, syscall.http.cookie) };
  return { value: step.volatile ? withoutVolatile(outcome.value) : outcome.value };
}

/** Over HTTP this member is a header. */
function withoutMember(value: unknown, member: string): object {
  return Object.fromEntries(Object.entries(Object(value)).filter(([name]) => name !== member));
}

function codeOf(outcome: Outcome): unknown {
  return "error" in outcome ? Reflect.get(Object(outcome.error), "code") : null;
}

/** An unknown id, and an invalid one, for every call that takes an id. */
function refusedIds(cwd: string) {
  return SYSCALLS.filter(({ input }) => "id" in input.shape).flatMap((syscall) => {
    const rest = inputOf(syscall.name, { cwd });
    return [
      { step: `${syscall.name} unknown id`, syscall, input: { ...rest, id: UNKNOWN_ID } },
      { step: `${syscall.name} no id`, syscall, input: { ...rest, id: "x".repeat(65) } },
    ];
  });
}

/** An input with which the syscall succeeded; missing ids are filled in. */
function inputOf(name: string, memory: Memory): Record<string, unknown> {
  const step = [...STORY, LAST_STEP].find((one) => one.syscall === name && one.refused === undefined);
  const filled = new Proxy(memory, { get: (target, key) => target[String(key)] ?? UNKNOWN_ID });
  return step?.input(filled) ?? {};
}

/** A few at a time, answered in order: each may start a process. */
async function inTurns<T>(tasks: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  const results: T[] = [];
  const queue = [...tasks.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await next[1]();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}
