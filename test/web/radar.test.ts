import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PATIENCE, start, turn } from "../e2e/support/talk.ts";
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

inBrowser("two sessions that collide appear by themselves, with files and lines, also on a phone", async () => {
  const { page, faults } = await openWindow(daemon, "/ui/radar", PHONE);
  await page.getByRole("heading", { name: "Nothing collides" }).waitFor();
  await expectAccessible(page);
  const open = (title: string) => start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true, title });
  const [one, other] = [await open("The first <b>task</b>"), await open("The second task")];
  await turn(daemon, one.id, "write README.md mine");
  await turn(daemon, other.id, "write README.md theirs");
  const found = page.getByRole("region", { name: "Sessions that collide" });
  await found.getByRole("link", { name: "The first <b>task</b>" }).waitFor();
  await found.getByText("README.md").waitFor();
  await found.getByText(/(first|second) line 1/).waitFor();
  await expectAccessible(page);
  expect(await page.locator("#main b").count()).toBe(0);
  expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
  await found.getByRole("link", { name: "The second task" }).click();
  await page.waitForURL(`**/ui/session/${other.id}`);
  expect(faults).toEqual([]);
});
