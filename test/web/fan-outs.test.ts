import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { expectOk, PATIENCE, start, turn } from "../e2e/support/talk.ts";
import { expectAccessible, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { addAgents, fanOut, judged, promptOf } from "../support/fan-out-bench.ts";
import { needs } from "../support/needs.ts";
import { type Bench, setUpBench } from "../support/worktree-bench.ts";

vi.setConfig(PATIENCE);
const inBrowser = test.skipIf(!needs("chromium"));

let daemon: TestDaemon;
let bench: Bench;
let agents: AsyncDisposable;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
  agents = await addAgents(daemon, ["tidy", "wordy"]);
  bench = setUpBench();
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await agents[Symbol.asyncDispose]();
  bench[Symbol.dispose]();
});

inBrowser("candidates stand side by side with their diffs; one is landed, the others are dropped", async () => {
  const empty = await openWindow(daemon, "/ui/fan-outs");
  await empty.page.getByRole("heading", { name: "No fan-out yet" }).waitFor();
  await expectAccessible(empty.page);
  const script = { tidy: ["write one.txt <b>1</b>"], wordy: ["write one.txt 1", "write two.txt 2"] };
  const { id, name } = await fanOut(daemon, { prompt: promptOf(script), agents: ["tidy", "wordy"], cwd: bench.repo });
  await judged(daemon, id);
  const { page, faults } = await openWindow(daemon, "/ui/fan-outs", PHONE);
  await page.getByRole("link", { name }).click();
  const sides = page.getByRole("region", { name: /^Candidate / });
  await sides.nth(1).waitFor();
  expect(await sides.count()).toBe(2);
  await sides.first().getByRole("button", { name: "Show the diff" }).click();
  await sides.first().getByText("one.txt").first().waitFor();
  await expectAccessible(page);
  expect(await page.locator("#main b").count()).toBe(0);
  expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
  await sides.first().getByRole("button", { name: "Land this one" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Land it" }).click();
  await sides.first().getByRole("link", { name: "Landing: landed" }).waitFor();
  expect(bench.git(bench.repo, "show", "--stat", "--format=", "HEAD")).toContain("one.txt");
  await page.getByRole("button", { name: "Drop the others" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Drop them" }).click();
  await sides.nth(1).getByText("dropped", { exact: true }).waitFor();
  expect([...faults, ...empty.faults]).toEqual([]);
});

inBrowser("blame names the session of each line, and leads to its proof; keys go there", async () => {
  const session = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
  await turn(daemon, session.id, "write told.txt <script>1</script>");
  expectOk(await daemon.call("POST", `/sessions/${session.id}/land`, { waitMs: 60_000 }));
  const { page, faults } = await openWindow(daemon, "/ui/now");
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  await page.getByRole("heading", { name: "Choose a file" }).waitFor();
  await expectAccessible(page);
  await page.getByLabel("Folder of the repository").fill(bench.repo);
  await page.getByLabel("File", { exact: true }).fill("told.txt");
  await page.getByRole("button", { name: "Show" }).click();
  const lines = page.getByRole("list", { name: "Lines with their origin" });
  await lines.getByRole("link", { name: session.name }).waitFor();
  await lines.getByText("<script>1</script>").waitFor();
  expect(await page.locator("#main script").count()).toBe(0);
  await expectAccessible(page);
  await lines.getByRole("link", { name: "Landing" }).waitFor();
  await lines.getByRole("link", { name: "Proof" }).click();
  await page.waitForURL("**/ui/audit/event/*");
  const query = new URLSearchParams({ cwd: bench.repo, path: "nothing.txt" });
  await page.goto(`${daemon.url}/ui/blame?${query}`);
  await page.getByText("file_missing").waitFor();
  await page.goto(`${daemon.url}/ui/blame?${new URLSearchParams({ cwd: bench.repo, path: "README.md" })}`);
  await lines.getByText("Ada Person").waitFor();
  expect(faults).toEqual([]);
});
