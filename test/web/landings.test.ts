import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { expectOk, PATIENCE, type Session, start, turn } from "../e2e/support/talk.ts";
import { HOSTILE_TEXTS } from "../fixtures/hostile-texts.ts";
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

async function working(script: string, more: object = {}): Promise<Session> {
  const session = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true, ...more });
  await turn(daemon, session.id, script);
  return session;
}

const land = async ({ id }: Session, body: object = {}) =>
  expectOk(await daemon.call<{ id: string; state: string }>("POST", `/sessions/${id}/land`, body));

inBrowser("without a landing the page says how to land; a session is tried, then landed, from its menu", async () => {
  const first = await openWindow(daemon, "/ui/landings");
  await first.page.getByRole("heading", { name: "Nothing has landed yet" }).waitFor();
  await expectAccessible(first.page);
  const session = await working("write web.txt web", { title: "Add the web" });
  const { page, faults } = await openWindow(daemon, `/ui/session/${session.id}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Land", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Land ${session.name}` });
  await dialog.getByLabel("Branch").fill("gone");
  await dialog.getByRole("button", { name: "Try it" }).click();
  await dialog.getByText("branch_not_found").waitFor();
  await dialog.getByLabel("Branch").fill("");
  await dialog.getByRole("button", { name: "Try it" }).click();
  await dialog.getByText("would land").waitFor();
  await dialog.getByText("1 file, +1").waitFor();
  await expectAccessible(page);
  expect(existsSync(join(bench.repo, "web.txt"))).toBe(false);
  expect(await dialog.getByLabel("Message").inputValue()).toMatch(/^Add the web/);
  await dialog.getByLabel("Message").fill("Add the web by hand");
  await dialog.getByRole("button", { name: "Land it" }).click();
  await page.waitForURL("**/ui/landings?id=*");
  await page.locator(".landing-card .badge", { hasText: "landed" }).waitFor();
  await page.getByText("1 file, +1 −0").waitFor();
  expect(bench.git(bench.repo, "log", "-1", "--format=%s").trim()).toBe("Add the web by hand");
  // The other window was told.
  await first.page.getByRole("heading", { name: "History" }).waitFor();
  expect([...faults, ...first.faults]).toEqual([]);
});

inBrowser(
  "a person works on a queue: hold, release, move up and eject; keys open what is under the cursor",
  async () => {
    bench.git(bench.repo, "branch", "line");
    const sessions = [await working("write a.txt 1"), await working("write b.txt 1"), await working("write c.txt 1")];
    const [a, b, c] = sessions;
    if (a === undefined || b === undefined || c === undefined) throw new Error("no sessions");
    await land(a, { into: "line", checks: [["sleep", "90"]] });
    await land(b, { into: "line" });
    await land(c, { into: "line" });
    const { page, faults } = await openWindow(daemon, "/ui/landings");
    const line = page.getByRole("region", { name: "Queue of line" });
    const card = ({ name }: Session) => line.locator(".landing-card", { hasText: name });
    await card(a).getByText("sleep 90").waitFor();
    await card(c).getByText("2 ahead").waitFor();
    await card(c).getByRole("button", { name: "Move up" }).click();
    await card(c).getByText("1 ahead").waitFor();
    await card(b).getByRole("button", { name: "Hold" }).click();
    await card(b).getByText("held", { exact: true }).waitFor();
    await expectAccessible(page);
    await card(b).getByRole("button", { name: "Release" }).click();
    await card(b).getByText("queued", { exact: true }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/ui/landings?id=*");
    await page.getByText("The diff, turn by turn").waitFor();
    for (const session of [b, c, a]) {
      await card(session).getByRole("button", { name: "Eject" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Eject it" }).click();
      await card(session).waitFor({ state: "detached" });
    }
    await page.getByLabel("Show").selectOption("ejected");
    await page.getByRole("region", { name: "History" }).getByText("by a person").first().waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await page.waitForURL("**/ui/landings");
    expect(faults).toEqual([]);
  },
);

inBrowser("a refusal stands first, with its findings and what to do; hostile names run nothing", async () => {
  const hostile = (HOSTILE_TEXTS["html"] ?? "").replaceAll("/", "_").slice(0, 60);
  const session = await working("write README.md theirs");
  await daemon.call("PUT", "/api/config", { config: { landing: { protect: ["README.md"] } } });
  const { state } = await land(session, { waitMs: 60_000, message: hostile });
  expect(state).toBe("refused");
  const { page, faults } = await openWindow(daemon, "/ui/landings");
  const stuck = page.getByRole("region", { name: "Refused, for you to mend" });
  await stuck.getByRole("button", { name: session.name }).click();
  const findings = stuck.getByRole("list", { name: "Findings" });
  await findings.getByText("README.md").first().waitFor();
  await findings.getByText("policy", { exact: true }).first().waitFor();
  await stuck.getByText("<img src=x").waitFor();
  expect(await page.locator("#main script, #main img, #main iframe").count()).toBe(0);
  await expectAccessible(page);
  await page.goto(`${daemon.url}/ui/session/${session.id}`);
  await page.getByRole("link", { name: "Landing on main" }).waitFor();
  await page.getByText("Why, and what to do").click();
  await page.getByRole("list", { name: "Findings" }).waitFor();
  await daemon.call("PUT", "/api/config", { config: { landing: null } });
  expect(faults).toEqual([]);
});

for (const [name, options] of [
  ["dark", { colorScheme: "dark" }],
  ["phone", PHONE],
] as const)
  inBrowser(`the page is accessible and fits: ${name}`, async () => {
    const { page } = await openWindow(daemon, "/ui/landings", options);
    await page.locator(".landing-card").first().waitFor();
    await page.locator(".landing-fold").first().click();
    await page.getByText("The diff, turn by turn").waitFor();
    await expectAccessible(page);
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
  });
