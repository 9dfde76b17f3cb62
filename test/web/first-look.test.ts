import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, openStranger, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";

const inBrowser = test.skipIf(!needs("chromium"));

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

inBrowser("a stranger is told how to get in, and a link lets them in once", async () => {
  const { page, faults } = await openStranger(daemon);
  await page.goto(`${daemon.url}/`);
  await page.getByRole("heading", { name: "This browser is not signed in" }).waitFor();
  const { body } = await daemon.call<{ url: string }>("POST", "/api/dashboard/links", {});
  await page.getByLabel("One-time link").fill(body.url);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".shell").waitFor();
  expect(page.url()).not.toContain("link=");
  expect(faults).toEqual([]);
  const second = await openStranger(daemon);
  await second.page.goto(body.url);
  await second.page.getByText("nomos open").first().waitFor();
});

inBrowser("a signed-in window shows what runs now, without a fault", async () => {
  const { page, faults } = await openWindow(daemon, "/ui/now", PHONE);
  await page.getByRole("link", { name: "Now" }).waitFor();
  await expectAccessible(page);
  expect(faults).toEqual([]);
});
