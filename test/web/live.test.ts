import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { eventually, expectOk, newFolder, PATIENCE, start, turn } from "../e2e/support/talk.ts";
import { openStranger, openWindow } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";

vi.setConfig(PATIENCE);
const inBrowser = test.skipIf(!needs("chromium"));

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const rowOf = (page: Page, title: string) => page.locator(".now-row", { hasText: title });
const signedOut = (page: Page) => page.getByRole("heading", { name: "This browser is not signed in" });

async function newLink(): Promise<string> {
  return (await daemon.call<{ url: string }>("POST", "/api/dashboard/links", {})).body.url;
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("One-time link").fill(await newLink());
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".shell").waitFor();
}

describe("a sign-in that ends", () => {
  inBrowser("signed out in one tab: the other shows it, and works again after a sign-in in the first", async () => {
    const { page, context } = await openWindow(daemon, "/ui/system/devices");
    const other = await context.newPage();
    await other.goto(`${daemon.url}/ui/now`);
    await other.locator(".shell").waitFor();
    await page.getByRole("button", { name: "Sign out here" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await Promise.all([signedOut(page).waitFor(), signedOut(other).waitFor()]);
    await signIn(page);
    await other.locator(".shell").waitFor();
    const { id } = await start(daemon, { cwd: await newFolder(), title: "After the return", prompt: "say x" });
    await Promise.all([page.goto(`${daemon.url}/ui/now`), rowOf(other, "After the return").waitFor()]);
    // A call of the tab itself, not of the hub.
    await rowOf(other, "After the return").getByRole("link").first().click();
    await other.getByRole("heading", { name: "After the return" }).waitFor();
    await daemon.call("DELETE", `/sessions/${id}`);
  });

  inBrowser("a token revoked while the page is open: it asks for a sign-in, and is told everything once", async () => {
    const { page } = await openWindow(daemon);
    const { body } = await daemon.call<{ tokens: { tokenId: string }[] }>("GET", "/api/tokens");
    for (const { tokenId } of body.tokens) await daemon.call("DELETE", `/api/tokens/${tokenId}`);
    await signedOut(page).waitFor();
    await signIn(page);
    const { id } = await start(daemon, { cwd: await newFolder(), title: "Told once", prompt: "say told once" });
    await rowOf(page, "Told once").getByText("idle").waitFor();
    expect(await rowOf(page, "Told once").count()).toBe(1);
    await daemon.call("DELETE", `/sessions/${id}`);
  });
});

describe("sessions", () => {
  inBrowser("a session that ended is followed again when something happens to it", async () => {
    const { id } = await start(daemon, { cwd: await newFolder(), title: "Ends early", prompt: "say x" });
    const { page } = await openWindow(daemon, `/ui/session/${id}`);
    await page.getByText("say x").first().waitFor();
    expectOk(await daemon.call("POST", `/sessions/${id}/kill`, {}));
    await page
      .getByText(/^Killed/)
      .first()
      .waitFor();
    expectOk(await daemon.call("POST", `/sessions/${id}/rename`, { title: "Named afterwards" }));
    await page.getByText(/^Title.*Named afterwards/).waitFor();
    expectOk(await daemon.call("POST", `/sessions/${id}/label`, { label: "kept" }));
    await page.getByText(/^Label.*kept/).waitFor();
    await daemon.call("DELETE", `/sessions/${id}`);
  });

  inBrowser("hundreds of sessions are forgotten at once: only the rest stays", async () => {
    const own = await startDaemon({ outlivesTest: true });
    const cwd = await newFolder();
    const made = await Promise.all(Array.from({ length: 300 }, (_, at) => start(own, { cwd, title: `Many ${at}` })));
    const stays = await start(own, { cwd, title: "The one that stays" });
    await turn(own, stays.id, "say x");
    const { page, faults } = await openWindow(own);
    await page.getByRole("button", { name: /301 idle/ }).waitFor();
    await Promise.all(made.map(({ id }) => own.call("DELETE", `/sessions/${id}`)));
    await page.getByRole("button", { name: /^1 idle/ }).waitFor();
    await eventually("one row", async () => (await page.locator(".now-row").count()) === 1);
    await rowOf(page, "The one that stays").waitFor();
    expect(faults).toEqual([]);
    await own[Symbol.asyncDispose]();
  });
});

describe("files of an older build that are gone", () => {
  inBrowser("a page that cannot be loaded offers to reload, and the reload brings it", async () => {
    const { page, context } = await openWindow(daemon);
    const chunk = /\/assets\/system-[A-Z0-9]{8}\.js$/;
    await context.route(chunk, (route) => route.fulfill({ status: 404, body: "" }));
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByRole("heading", { name: "System could not be loaded" }).waitFor();
    await context.unroute(chunk);
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("heading", { name: "System", exact: true }).waitFor();
  });

  inBrowser("without its script the document is not blank", async () => {
    const { page, context } = await openWindow(daemon);
    const script = /\/assets\/main-[A-Z0-9]{8}\.js$/;
    await context.route(script, (route) => route.fulfill({ status: 404, body: "" }));
    await page.reload();
    await page.getByRole("link", { name: "load it again" }).waitFor();
    await context.unroute(script);
    await page.getByRole("link", { name: "load it again" }).click();
    await page.locator(".shell").waitFor();
  });

  inBrowser("without the file of the shared worker the page is live by itself", async () => {
    const { page, context } = await openStranger(daemon);
    let asked = 0;
    await context.route(/\/assets\/hub-[\w-]+\.js$/, (route) => {
      asked += 1;
      return route.fulfill({ status: 404, body: "" });
    });
    await page.goto(await newLink());
    await page.locator(".shell").waitFor();
    const { id } = await start(daemon, { cwd: await newFolder(), title: "Without a worker", prompt: "say x" });
    await rowOf(page, "Without a worker").waitFor();
    expect(asked).toBe(1);
    await daemon.call("DELETE", `/sessions/${id}`);
  });
});
