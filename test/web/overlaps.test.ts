import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PATIENCE } from "../e2e/support/talk.ts";
import { expectAccessible, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { setUpTickets, type TicketBench } from "../support/ticket-bench.ts";

vi.setConfig(PATIENCE);
const inBrowser = test.skipIf(!needs("chromium"));

let daemon: TestDaemon;
let bench: TicketBench;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
  bench = await setUpTickets(daemon);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  bench[Symbol.dispose]();
});

const place = (): string => `/ui/overlaps?${new URLSearchParams({ cwd: bench.repo })}`;

inBrowser("two tickets that meet are named by themselves with a path; those beside each other are not", async () => {
  await bench.ticket({ title: "The <b>parser</b>", scope: { allow: ["src/parse/**"] } });
  await bench.ticket({ title: "The printer", scope: { allow: ["src/print/**"] } });
  const { page, faults } = await openWindow(daemon, place());
  await page.getByRole("heading", { name: "No two tickets meet" }).waitFor();
  await page.getByText("2 open tasks were compared").waitFor();
  await expectAccessible(page);
  const third = await bench.ticket({ title: "Names in both", scope: { allow: ["src/**/names.ts"] } });
  const pairs = page.getByRole("list", { name: "Pairs that may change the same file" });
  await pairs.getByText("src/parse/names.ts").waitFor();
  await pairs.getByText("src/print/names.ts").waitFor();
  await pairs.getByRole("link", { name: "The <b>parser</b>" }).waitFor();
  expect(await pairs.getByRole("listitem").count()).toBe(2);
  expect(await page.locator(".overlaps-map line").count()).toBe(2);
  expect(await page.locator("#main b").count()).toBe(0);
  await expectAccessible(page);
  await pairs.getByRole("link", { name: "Names in both" }).first().click();
  await page.waitForURL(`**/ui/tickets?*id=${third}*`);
  expect(faults).toEqual([]);
});

for (const [name, options] of [
  ["dark", { colorScheme: "dark" }],
  ["phone", PHONE],
] as const)
  inBrowser(`the map is accessible and fits; keys go there: ${name}`, async () => {
    const { page } = await openWindow(daemon, place(), options);
    await page.locator(".overlaps-map").waitFor();
    await expectAccessible(page);
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await page.getByRole("region", { name: "The law in force" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await page.locator(".overlaps-map").waitFor();
  });
