import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PATIENCE } from "../e2e/support/talk.ts";
import { expectAccessible, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { type Bench, setUpBench } from "../support/worktree-bench.ts";

vi.setConfig(PATIENCE);
const inBrowser = test.skipIf(!needs("chromium"));

let daemon: TestDaemon;
let bench: Bench;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
  bench = setUpBench();
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  bench[Symbol.dispose]();
});

const place = (path: string): string => `${path}?${new URLSearchParams({ cwd: bench.repo })}`;

inBrowser("a repository without a law is given one; the law then answers for paths", async () => {
  const { page, faults } = await openWindow(daemon, place("/ui/law"));
  await page.getByRole("heading", { name: "This repository has no law" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Give it a law" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(".nomos/CONSTITUTION.md").waitFor();
  await expectAccessible(page);
  expect(bench.git(bench.repo, "log", "-1", "--format=%s")).toBe("first");
  await dialog.getByRole("button", { name: "Give it a law" }).click();
  await page.getByText("sound", { exact: true }).waitFor();
  expect(bench.git(bench.repo, "status", "--porcelain")).toBe("");
  await page.getByRole("region", { name: "Rules" }).getByText("denies").first().waitFor();
  await expectAccessible(page);
  const ask = page.getByRole("region", { name: "Ask the law" });
  await ask.getByLabel("Path").fill(".env");
  await ask.getByRole("button", { name: "Ask" }).click();
  await ask.getByText("deny", { exact: true }).waitFor();
  await ask.getByLabel("Path").fill("src/main.ts");
  await ask.getByText("deny", { exact: true }).waitFor({ state: "detached" });
  await ask.getByLabel("Action").selectOption("read");
  await ask.getByRole("button", { name: "Ask" }).click();
  await ask.getByText("allow", { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

for (const [name, options] of [
  ["dark", { colorScheme: "dark" }],
  ["phone", PHONE],
] as const)
  inBrowser(`an edited constitution is a problem with its remedy, hostile words are only words: ${name}`, async () => {
    const file = join(bench.repo, ".nomos/CONSTITUTION.md");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, `${before}\n<script>1</script><img src=x onerror=alert(1)>\n`);
    const { page, faults } = await openWindow(daemon, place("/ui/law"), options);
    await page.getByText("does not hold").waitFor();
    const problems = page.getByRole("region", { name: "Problems" });
    await problems.getByText("only checked out").first().waitFor();
    await problems.getByText("governance_drift").first().waitFor();
    await expectAccessible(page);
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
    expect(await page.locator("#main script, #main img").count()).toBe(0);
    writeFileSync(file, before);
    expect(faults).toEqual([]);
  });
