import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startWithAgents } from "../e2e/support/fake-agents.ts";
import { expectOk, PATIENCE, type Session, start, turn } from "../e2e/support/talk.ts";
import { expectAccessible, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";

vi.setConfig(PATIENCE);
const inBrowser = test.skipIf(!needs("chromium"));

let daemon: TestDaemon;
let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "nomos-activity-"));
  daemon = await startWithAgents({ fake: [] });
  const spends = await start(daemon, { adapter: "fake", cwd, title: "The spender" });
  await turn(daemon, spends.id, "tokens 1000 500 20000\ncost 1.25");
  const silent = await start(daemon, { cwd, title: "The silent" });
  await turn(daemon, silent.id, "say x");
  expectOk(await daemon.call<Session>("POST", `/sessions/${silent.id}/fork`, {}), 201);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await rm(cwd, { recursive: true, force: true });
});

inBrowser("shows what was spent, by whom and when; an agent that reports nothing has a dash", async () => {
  const { page, faults } = await openWindow(daemon, "/ui/activity", { timezoneId: "Asia/Kolkata" });
  await page.getByText("Times in Asia/Calcutta").waitFor();
  await page.locator(".activity-total", { hasText: "$1.25" }).waitFor();
  const shares = page.getByRole("region", { name: "Shares" });
  expect(await shares.getByRole("row", { name: /fake/ }).textContent()).toContain("$1.25");
  expect(await shares.getByRole("row", { name: /demo/ }).textContent()).toBe("demo––1");
  await shares.getByLabel("Shares").selectOption("model");
  await shares.getByRole("row", { name: /not known/ }).waitFor();
  const most = page.getByRole("region", { name: "Sessions that spent most" });
  expect(await most.getByRole("link").allTextContents()).toEqual(["The spender"]);
  const tree = page.getByRole("list", { name: "Forks and children of sessions" });
  expect(await tree.getByRole("listitem").count()).toBe(2);
  await page.getByRole("img", { name: /^Load: now/ }).waitFor();
  await page.keyboard.press("1");
  await page.waitForURL("**/ui/activity?range=24h");
  await page.getByText("Cost per hour").first().waitFor();
  await most.getByRole("link", { name: "The spender" }).click();
  await page.waitForURL("**/ui/session/*");
  await page.keyboard.press("g");
  await page.keyboard.press("v");
  await page.waitForURL("**/ui/activity");
  expect(faults).toEqual([]);
});

inBrowser("without a turn, the page says what will be here and how to get it", async () => {
  const own = await startDaemon({ outlivesTest: true });
  const { page, faults } = await openWindow(own, "/ui/activity");
  await page.getByRole("heading", { name: "No turn ended in the last 7 days" }).waitFor();
  await page.getByText("nomos run 'say hello'").waitFor();
  await page.getByText("No session of this time reports what it spends").waitFor();
  await expectAccessible(page);
  expect(faults).toEqual([]);
  await own[Symbol.asyncDispose]();
});

for (const [name, options] of [
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["phone", PHONE],
] as const)
  inBrowser(`the page is accessible: ${name}`, async () => {
    const { page } = await openWindow(daemon, "/ui/activity?range=30d", options);
    await page.locator(".activity-total", { hasText: "$1.25" }).waitFor();
    await page.getByRole("img", { name: /^Load: now/ }).waitFor();
    await expectAccessible(page);
    const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
    expect(isWide).toBe(false);
  });
