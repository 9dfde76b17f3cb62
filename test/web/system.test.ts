import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, newFolder, start, turn } from "../e2e/support/talk.ts";
import { HOSTILE_TEXTS } from "../fixtures/hostile-texts.ts";
import { expectAccessible, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";

const inBrowser = test.skipIf(!needs("chromium"));

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const SECTIONS = [
  ...["overview", "agents", "workspaces", "sandbox", "devices", "tokens"],
  ...["settings", "queue", "backups", "doctor", "log", "metrics"],
];

const item = (page: Page | Locator, text: string) => page.getByRole("listitem").filter({ hasText: text });
const sure = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name }).click();

inBrowser("every section is reached by its link and by keys, and shows no fault", async () => {
  const { page, faults } = await openWindow(daemon, "/ui/system");
  await page.getByRole("heading", { name: "System" }).waitFor();
  for (const section of SECTIONS.slice(1)) {
    await page.keyboard.press("]");
    await page.waitForURL(`**/ui/system/${section}`);
    await page.locator(".system-section h1").waitFor();
    expect(await page.locator(".error-card").count()).toBe(0);
  }
  expect(faults).toEqual([]);
});

inBrowser("the overview tells version, room, load and the last start", async () => {
  const { page } = await openWindow(daemon, "/ui/system");
  await page.getByText(daemon.home, { exact: true }).waitFor();
  await page.getByText("Log and blobs, of the home's limit").waitFor();
  await page.getByText("Recovered").waitFor();
});

inBrowser("a driver is added by its manifest, installed with progress, checked, and removed", async () => {
  const manifest = {
    ...{ id: "tiny", name: "Tiny", description: "A tiny agent.", version: "1.0.0", protocol: "acp", bin: "tiny-agent" },
    install: [{ method: "npm", packages: [join(import.meta.dirname, "../fixtures/tiny-agent")] }],
    version_check: { package: "tiny-agent", range: ">=1.0.0 <2.0.0" },
  };
  const { page, faults } = await openWindow(daemon, "/ui/system/agents");
  await page.getByText("Add a driver by its manifest").click();
  await page.getByLabel("Manifest").fill(JSON.stringify(manifest));
  await page.getByRole("button", { name: "Add the driver" }).click();
  const tiny = item(page.locator("main"), "A tiny agent.");
  await tiny.getByText("not installed").waitFor();
  await tiny.getByRole("button", { name: "Install" }).click();
  await tiny.getByRole("progressbar").waitFor();
  await tiny.getByText("installed", { exact: true }).waitFor();
  await tiny.getByRole("button", { name: "Check" }).click();
  await tiny.getByText(/^(?:works|does not work)$/).waitFor();
  await tiny.getByRole("button", { name: "Remove" }).click();
  await sure(page, "Remove it");
  await tiny.waitFor({ state: "detached" });
  expect(faults).toEqual([]);
});

inBrowser("an agent is added, made the default, and removed", async () => {
  const { page } = await openWindow(daemon, "/ui/system/agents");
  await page.getByText("Add an agent").click();
  await page.getByLabel("Name of the agent").fill("reviewer");
  await page.getByLabel("Driver", { exact: true }).selectOption("demo");
  await page.getByLabel("Its commands").selectOption("never");
  await page.getByRole("button", { name: "Add the agent" }).click();
  const agents = page.getByRole("list", { name: "Agents" });
  const reviewer = agents.getByRole("listitem").filter({ hasText: "reviewer" });
  await reviewer.getByText("execute: never").waitFor();
  await reviewer.getByRole("button", { name: "Make default" }).click();
  await reviewer.getByText("default", { exact: true }).waitFor();
  await agents
    .getByRole("listitem")
    .filter({ hasText: "driver demo" })
    .first()
    .getByRole("button", { name: "Make default" })
    .click();
  await reviewer.getByRole("button", { name: "Remove" }).click();
  await sure(page, "Remove it");
  await reviewer.waitFor({ state: "detached" });
});

inBrowser("a workspace is added, used and removed; a wrong one is refused with its remedy", async () => {
  const path = await newFolder();
  const { page } = await openWindow(daemon, "/ui/system/workspaces");
  await page.getByRole("heading", { name: "No workspace yet" }).waitFor();
  await page.getByLabel("Name").fill("shop");
  await page.getByLabel("Directory").fill("/nowhere/at/all");
  await page.getByRole("button", { name: "Add" }).click();
  await page.locator(".toast-error").waitFor();
  await page.getByLabel("Directory").fill(path);
  await page.getByRole("button", { name: "Add" }).click();
  await item(page.locator("main"), "shop").getByText("active").waitFor();
  await page.getByLabel("Name").fill("other");
  await page.getByLabel("Directory").fill(path);
  await page.getByRole("button", { name: "Add" }).click();
  const other = item(page.locator("main"), "other");
  await other.getByRole("button", { name: "Use" }).click();
  await other.getByText("active").waitFor();
  await other.getByRole("button", { name: "Remove" }).click();
  await sure(page, "Remove it");
  await other.waitFor({ state: "detached" });
});

inBrowser("the sandbox of a session: what it can reach, refused things first", async () => {
  const session = await start(daemon, { title: "Walled" });
  const { page } = await openWindow(daemon, "/ui/system/sandbox");
  await page.getByLabel("Session").selectOption(session.id);
  await page.getByRole("heading", { name: "Files" }).waitFor();
  await expect.poll(() => page.locator(".system-reach .badge").first().textContent()).toBe("hidden");
});

inBrowser("a token is issued, its secret works and is shown once, and it is revoked", async () => {
  const { page } = await openWindow(daemon, "/ui/system/tokens");
  await page.getByLabel("Name").fill("nightly");
  await page.getByRole("button", { name: "Issue", exact: true }).click();
  const secret = (await page.locator(".system-secret code").textContent()) ?? "";
  const call = () => fetch(`${daemon.url}/sessions`, { headers: { authorization: `Bearer ${secret}` } });
  expect((await call()).status).toBe(200);
  await page.getByRole("button", { name: "I have it" }).click();
  expect(await page.getByText(secret).count()).toBe(0);
  await item(page.locator("main"), "nightly").getByRole("button", { name: "Revoke" }).click();
  await sure(page, "Revoke it");
  await item(page.locator("main"), "nightly").waitFor({ state: "detached" });
  expect((await call()).status).toBe(401);
});

inBrowser("may X do Y: the gate answers with its rules", async () => {
  const { page } = await openWindow(daemon, "/ui/system/tokens");
  await page.getByLabel("Who").fill("operator");
  await page.getByLabel("What", { exact: true }).fill("session.read");
  await page.getByLabel("On what").fill("system");
  await page.getByRole("button", { name: "Ask" }).click();
  await page.getByText("Yes", { exact: true }).waitFor();
});

inBrowser("a setting is changed, refused when it is out of bounds, and reset", async () => {
  const { page } = await openWindow(daemon, "/ui/system/settings");
  await page.getByLabel("Find a setting").fill("idleHibernateMs");
  const setting = item(page.locator("main"), "idleHibernateMs");
  const field = setting.getByLabel("idleHibernateMs");
  await field.fill("10");
  await setting.getByText("At least 1000.").waitFor();
  expect(await setting.getByRole("button", { name: "Set", exact: true }).isDisabled()).toBe(true);
  await field.fill("700000");
  await setting.getByRole("button", { name: "Set", exact: true }).click();
  await setting.getByText("config.json").waitFor();
  const shown = async () =>
    (await daemon.call<{ config: Record<string, unknown> }>("GET", "/api/config")).body.config["idleHibernateMs"];
  expect(await shown()).toBe(700_000);
  await setting.getByRole("button", { name: "Reset" }).click();
  await setting.getByText("default", { exact: true }).waitFor();
  expect(await field.inputValue()).toBe("600000");
});

inBrowser("a phone: told what is missing without publicUrl, and a code with it", async () => {
  const { page, faults } = await openWindow(daemon, "/ui/system/devices");
  await page.getByRole("button", { name: "Show a code" }).click();
  await page.getByText("A phone cannot reach 127.0.0.1.").waitFor();
  await daemon.call("PUT", "/api/config", { config: { publicUrl: "https://nomos.example.org" } });
  await page.getByRole("button", { name: "Show a code" }).click();
  await page.getByRole("img", { name: "QR code with the link for the phone" }).waitFor();
  await daemon.call("PUT", "/api/config", { config: { publicUrl: null } });
  expect(faults).toEqual([]);
});

inBrowser("another browser is signed out from here, and then this one", async () => {
  const other = await openWindow(daemon, "/ui/system");
  const { page } = await openWindow(daemon, "/ui/system/devices");
  const tokenIds = (await daemon.call<{ tokens: { tokenId: string }[] }>("GET", "/api/tokens")).body.tokens;
  const devices = page.getByRole("list", { name: "Signed in" }).getByRole("listitem");
  await expect.poll(() => devices.count()).toBe(tokenIds.length);
  const before = tokenIds.at(-2)?.tokenId.slice(-9) ?? "";
  await item(page.locator("main"), before).getByRole("button", { name: "Sign out" }).click();
  await sure(page, "Sign it out");
  await other.page.reload();
  await other.page.getByText("This browser is not signed in").waitFor();
  await page.getByRole("button", { name: "Sign out here" }).click();
  await sure(page, "Sign out");
  await page.getByText("This browser is not signed in").waitFor();
});

inBrowser("the queue shows what waits and why", async () => {
  const { id } = await start(daemon, { title: "Busy one", prompt: "run sleep 60" });
  await eventually("queued", async () => {
    const queued = await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: "say later", queue: true });
    return queued.status < 300;
  });
  const { page } = await openWindow(daemon, "/ui/system/queue");
  await page.getByRole("row").nth(1).waitFor();
  await daemon.call("POST", `/sessions/${id}/kill`, {});
});

inBrowser("a backup is made and listed; old sessions are told before they are archived", async () => {
  const { page } = await openWindow(daemon, "/ui/system/backups");
  await page.getByRole("heading", { name: "No backup yet" }).waitFor();
  await page.getByRole("button", { name: "Back up now" }).click();
  await page.getByRole("list", { name: "Backups" }).getByRole("listitem").first().waitFor();
  await page.getByLabel("Ended more than this many days ago").fill("300");
  await page.getByRole("button", { name: "See what would go" }).click();
  await page.getByText("No session ended so long ago.").waitFor();
});

inBrowser("the doctor's report is a checklist, and the daemon's log and metrics are there", async () => {
  const { page, faults } = await openWindow(daemon, "/ui/system/doctor");
  await page.getByLabel("Also compare every list with the log").check();
  await page.getByRole("button", { name: "Examine now" }).click();
  await page.getByText("All is well.").waitFor();
  await page.getByRole("list", { name: "Checks" }).getByText("Lists").waitFor();
  await page.goto(`${daemon.url}/ui/system/log`);
  await page.locator(".system-log li").first().waitFor();
  await page.getByLabel("Only problems").check();
  const { id } = await start(daemon);
  await page.goto(`${daemon.url}/ui/system/metrics`);
  await turn(daemon, id, "say something");
  await expect.poll(() => page.locator(".system-plot strong").first().textContent(), { timeout: 15_000 }).not.toBe("–");
  expect(faults).toEqual([]);
});

inBrowser("hostile labels of tokens and agents are shown as text", async () => {
  for (const text of Object.values(HOSTILE_TEXTS))
    await daemon.call("POST", "/api/tokens", { label: text.slice(0, 100), capabilities: ["session.read"] });
  const { page, faults } = await openWindow(daemon, "/ui/system/tokens");
  await page.getByRole("list", { name: "Tokens" }).getByRole("listitem").first().waitFor();
  expect(await page.evaluate("document.querySelectorAll('main img, main iframe, [onerror]').length")).toBe(0);
  expect(faults).toEqual([]);
});

inBrowser("by keyboard alone: a setting is found, reached and changed", async () => {
  const { page } = await openWindow(daemon, "/ui/system/overview");
  await page.getByRole("heading", { name: "System" }).waitFor();
  for (let at = 0; at < 6; at += 1) await page.keyboard.press("]");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("delegationDepthMax");
  await expect.poll(() => page.locator(".system-settings > li").count()).toBe(1);
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("2");
  await page.keyboard.press("Enter");
  await page.locator(".system-settings").getByText("config.json").waitFor();
  await daemon.call("PUT", "/api/config", { config: { delegationDepthMax: null } });
});

inBrowser("every section is accessible, on a phone too", async () => {
  for (const options of [{}, { ...PHONE, colorScheme: "dark" as const }]) {
    const { page } = await openWindow(daemon, "/ui/system", options);
    for (const section of SECTIONS) {
      await page.goto(`${daemon.url}/ui/system/${section}`);
      await page.locator(".system-section h1").waitFor();
      await expectAccessible(page);
    }
  }
});
