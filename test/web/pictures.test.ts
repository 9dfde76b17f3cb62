import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventsOf, expectOk, idle, pendingOf, prompt, type Session, start, turn } from "../e2e/support/talk.ts";
import { expectAccessible, openWindow, PHONE, type Window } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";

const ROOT = join(import.meta.dirname, "../..");
/** `NOMOS_PICTURES=1 npm run test:web` records those of the docs anew. */
const isRecording = process.env["NOMOS_PICTURES"] === "1";
const LOOKS = [
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["phone", PHONE],
] as const;
const PATHS = [...(await readFile(join(ROOT, "web/pages.ts"), "utf8")).matchAll(/path: "([^"]+)"/g)].map(
  ([, path = ""]) => path,
);

let daemon: TestDaemon;
let folder: string;
/** What stands for the members of a path: by name, or by path and name where a name means several things. */
let members: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
  folder = isRecording ? join(ROOT, "docs/assets/dashboard") : await mkdtemp(join(tmpdir(), "nomos-pictures-"));
  await mkdir(folder, { recursive: true });
  members = await fillWorld();
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await rm(members["root"] ?? "", { recursive: true, force: true });
  if (!isRecording) await rm(folder, { recursive: true, force: true });
});

test("every page of the list is looked at", () => {
  expect(PATHS.length).toBeGreaterThan(6);
});

for (const [look, options] of LOOKS)
  describe.skipIf(!needs("chromium"))(`in ${look}`, () => {
    let window: Window;
    beforeAll(async () => {
      window = await openWindow(daemon, "/ui/now", { ...options, reducedMotion: "reduce" });
    });
    afterAll(() => window[Symbol.asyncDispose]());
    for (const path of PATHS)
      test(`${path} is accessible, and its picture is taken`, async () => {
        const { page, faults } = window;
        const filled = path.replace(
          /:(\w+)/g,
          (member, name: string) => members[path + member] ?? members[name] ?? name,
        );
        await page.goto(`${daemon.url}${filled}`);
        await settled(page);
        await expectAccessible(page);
        expect(await widerThanScreen(page)).toBe(false);
        expect(faults).toEqual([]);
        const picture = await page.screenshot();
        expect(picture.length).toBeGreaterThan(5_000);
        await writeFile(join(folder, `${nameOf(path)}-${look}.png`), picture);
      });
  });

/** The page has loaded what it shows at first. */
async function settled(page: Page): Promise<void> {
  await page.locator("#main h1, #main h2, #main article").first().waitFor();
  await page.getByText("Loading …").waitFor({ state: "detached" });
  await page.waitForTimeout(400);
}

async function widerThanScreen(page: Page): Promise<unknown> {
  return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth + 1");
}

function nameOf(path: string): string {
  return path.replace("/ui/", "").replaceAll(/\/:?/g, "-").toLowerCase();
}

/** A morning with five agents: one asks, two work, one is done, one was forked. */
async function fillWorld(): Promise<Readonly<Record<string, string>>> {
  const root = join(await mkdtemp(join(tmpdir(), "nomos-work-")), "app");
  await mkdir(root);
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-C", root, ...args], { stdio: "ignore" });
  git("init", "-q");
  await writeFile(join(root, "login.ts"), "export function greet(user) {\n  return user.name;\n}\n");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first");
  await daemon.call("POST", "/api/workspaces", { slug: "app", path: root });
  const in_ = (title: string, more: object = {}): Promise<Session> => start(daemon, { cwd: root, title, ...more });
  const main = await in_("Greet users without a name");
  await turn(
    daemon,
    main.id,
    "say ## Plan\nsay 1. Look at `login.ts`\nsay 2. Handle a **missing** name\nrun cat login.ts",
  );
  await turn(
    daemon,
    main.id,
    'write login.ts export const greet = (user) => user?.name ?? "guest";\nsay It greets guests now.',
  );
  const fork = expectOk(await daemon.call<Session>("POST", `/sessions/${main.id}/fork`, {}), 201);
  await daemon.call("POST", `/sessions/${fork.id}/rename`, { title: "The same, with a test" });
  await turn(daemon, fork.id, "write login.test.ts import { greet } from './login.ts';\nsay And a test.");
  await in_("Run the whole suite", { prompt: "run sleep 600" });
  await in_("Update dependencies", { prompt: "run sleep 500" });
  await idle(daemon, (await in_("Tidy the docs", { prompt: "say Everything reads well now." })).id);
  await idle(
    daemon,
    (await in_("Review the parser", { worktree: true, prompt: "write notes.md a look at the parser" })).id,
  );
  await prompt(daemon, main.id, "ask Push to origin/main?");
  await pendingOf(daemon, main.id);
  const tried = expectOk(
    await daemon.call<{ readonly id: string }>("POST", "/api/fan-outs", {
      cwd: root,
      agents: ["demo", "demo"],
      prompt: "write login.md How to log in",
    }),
    201,
  );
  git("config", "user.name", "a");
  git("config", "user.email", "a@example.org");
  await govern(root);
  const [event] = await eventsOf(daemon, main.id, "types=message.completed");
  const ids = { id: main.id, a: main.id, b: fork.id, eventId: event?.id ?? "", "/ui/fan-outs/:id:id": tried.id };
  return { root: dirname(root), section: "agents", ...ids };
}

/** A law, an intent, and three tasks of which two meet. */
async function govern(cwd: string): Promise<void> {
  expectOk(await daemon.call("POST", "/api/governance/init", { cwd }));
  const write = async (fields: object): Promise<string> =>
    expectOk(await daemon.call<{ id: string }>("POST", "/api/tickets", { cwd, kind: "task", ...fields }), 201).id;
  const parent = await write({ kind: "intent", title: "Sign in without a password", brainDump: "Nobody likes them." });
  const first = await write({ title: "Send a link", parent, priority: 1, scope: { allow: ["login.ts", "mail/**"] } });
  await write({ title: "Forget old links", parent, blockers: [first], scope: { allow: ["login.ts"] } });
  await write({ title: "Tell how to sign in", parent, type: "docs", scope: { allow: ["docs/**"] } });
}
