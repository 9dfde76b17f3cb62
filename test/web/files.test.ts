import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, expectOk, type Session, start, turn } from "../e2e/support/talk.ts";
import { expectAccessible, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { setUpBench } from "../support/worktree-bench.ts";

const inBrowser = test.skipIf(!needs("chromium"));

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function working(repo: string, script: string, more: object = {}): Promise<Session> {
  const session = await start(daemon, { cwd: repo, worktree: true, ...more });
  await turn(daemon, session.id, script);
  return session;
}

const treeOf = (page: Page, { name }: Session) => page.locator(".files-tree", { hasText: `nomos/${name}` });

inBrowser("without a worktree the page says how to get one", async () => {
  const { page } = await openWindow(daemon, "/ui/files");
  await page.getByRole("heading", { name: "No worktree" }).waitFor();
});

inBrowser("a worktree tells what would be lost, comes home, and is removed when nothing is", async () => {
  using bench = setUpBench();
  const session = await working(bench.repo, "write README.md changed\nwrite new/file.txt new");
  const { page, faults } = await openWindow(daemon, "/ui/files");
  await treeOf(page, session).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const tree = treeOf(page, session);
  await tree.getByText("Would be lost with it:").waitFor();
  await tree.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove it" }).click();
  await tree.getByRole("alert").waitFor();
  await tree.getByRole("button", { name: "What would come home?" }).click();
  await tree.getByText("would work").waitFor();
  expect(existsSync(join(bench.repo, "new/file.txt"))).toBe(false);
  await tree.getByRole("button", { name: "Bring it home" }).click();
  await tree.getByText("brought home").waitFor();
  expect(readFileSync(join(bench.repo, "README.md"), "utf8")).toBe("changed");
  expect(faults).toEqual([]);
});

inBrowser("work that is in conflict stays in the worktree, and the files are named", async () => {
  using bench = setUpBench();
  const session = await working(bench.repo, "write README.md theirs");
  writeFileSync(join(bench.repo, "README.md"), "mine\n");
  const { page } = await openWindow(daemon, "/ui/files");
  const tree = treeOf(page, session);
  await tree.getByRole("button", { name: `nomos/${session.name}` }).click();
  await tree.getByRole("button", { name: "Bring it home" }).click();
  await tree.getByText("1 in conflict").waitFor();
  await tree.getByRole("alert").getByText("nothing was brought home").waitFor();
  expect(readFileSync(join(bench.repo, "README.md"), "utf8")).toBe("mine\n");
});

inBrowser("worktrees without work are removed together, all others stay", async () => {
  using bench = setUpBench();
  const [empty, full] = [await working(bench.repo, "say nothing"), await working(bench.repo, "write x.txt x")];
  for (const { id } of [empty, full]) expectOk(await daemon.call("POST", `/sessions/${id}/kill`, {}));
  await eventually("ended", async () => {
    const { body } = await daemon.call<{ endedAt?: string }>("GET", `/sessions/${empty.id}`);
    return body.endedAt !== undefined;
  });
  const { page } = await openWindow(daemon, "/ui/files");
  await treeOf(page, full).waitFor();
  await page.getByRole("button", { name: "Remove those without work" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove them" }).click();
  await treeOf(page, empty).waitFor({ state: "detached" });
  await treeOf(page, full).waitFor();
});

inBrowser("what a turn changed is shown by folder, with its diff", async () => {
  using bench = setUpBench();
  await working(bench.repo, "write docs/a.md one\nwrite docs/deep/b.md two", { title: "Writer of docs" });
  const { page, faults } = await openWindow(daemon, "/ui/files?tab=changes");
  await page.getByRole("button", { name: "Writer of docs" }).click();
  await page.getByRole("region", { name: "docs", exact: true }).getByText("a.md").first().waitFor();
  await page.getByRole("region", { name: "docs/deep" }).getByText("added", { exact: true }).first().waitFor();
  await page.locator(".diff").first().waitFor();
  expect(faults).toEqual([]);
});

inBrowser("a session with a scope: its rules, and what it changed outside and was put back", async () => {
  using bench = setUpBench();
  await working(bench.repo, "write outside.txt no", { scope: { allow: ["src/**"] }, title: "Kept in" });
  const { page } = await openWindow(daemon, "/ui/files?tab=scopes");
  const back = page.getByRole("list", { name: "Put back" });
  await back.getByText("outside.txt").waitFor();
  await back.getByText("no pattern allows it").waitFor();
  await page.getByRole("list", { name: "Sessions with a scope" }).getByText("src/**").waitFor();
});

inBrowser("the files are accessible, on a phone too", async () => {
  using bench = setUpBench();
  const session = await working(bench.repo, "write y.txt y");
  for (const options of [{}, { ...PHONE, colorScheme: "dark" as const }]) {
    const { page } = await openWindow(daemon, "/ui/files", options);
    await treeOf(page, session)
      .getByRole("button", { name: `nomos/${session.name}` })
      .click();
    await treeOf(page, session).getByText("Would be lost with it:").waitFor();
    await expectAccessible(page);
    for (const tab of ["changes", "scopes"]) {
      await page.goto(`${daemon.url}/ui/files?tab=${tab}`);
      await page.locator(".files-list").first().waitFor();
      await expectAccessible(page);
    }
  }
});
