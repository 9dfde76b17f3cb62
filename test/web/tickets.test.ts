import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PATIENCE } from "../e2e/support/talk.ts";
import { HOSTILE_TEXTS } from "../fixtures/hostile-texts.ts";
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

const place = (more: object = {}): string =>
  `/ui/tickets?${new URLSearchParams({ cwd: bench.repo, ...more } as Record<string, string>)}`;

inBrowser("a person writes an intent and a task below it, edits the task, and sees what is next and why", async () => {
  const { page, faults } = await openWindow(daemon, place());
  await page.getByRole("heading", { name: "No ticket" }).waitFor();
  await expectAccessible(page);
  const write = page.getByRole("dialog", { name: "New ticket" });
  await page.getByRole("button", { name: "New ticket" }).click();
  await write.getByLabel("Kind").selectOption("intent");
  await write.getByLabel("Title").fill("Sell in euros");
  await write.getByLabel("What is wanted, in your own words").fill("Half of our customers pay in euros.");
  await expectAccessible(page);
  await write.getByRole("button", { name: "Write it" }).click();
  await page.getByRole("region", { name: "The ticket" }).getByRole("heading", { name: "Sell in euros" }).waitFor();
  await page.getByRole("button", { name: "New ticket" }).click();
  await write.getByLabel("Title").fill("Show two prices");
  await write.getByLabel("Under").selectOption({ index: 1 });
  await write.getByLabel("May change", { exact: true }).fill("src/prices/**");
  await write.getByLabel("Checks").fill("npm test");
  await write.getByLabel("Done when").fill("Both are shown => npm test\nIt looks right");
  await write.getByRole("button", { name: "Write it" }).click();
  const opened = page.getByRole("region", { name: "The ticket" });
  await opened.getByRole("heading", { name: "Show two prices" }).waitFor();
  await opened.getByText("src/prices/**").waitFor();
  await opened.getByText("needs a witness").waitFor();
  await page.getByRole("status").getByRole("link", { name: "Show two prices" }).waitFor();
  await page.locator(".tickets-card", { hasText: "Show two prices" }).getByText("next", { exact: true }).waitFor();
  await expectAccessible(page);
  await opened.getByRole("button", { name: "Edit" }).click();
  const edit = page.getByRole("dialog", { name: /^Edit TKT-/ });
  await edit.getByLabel("Priority").selectOption("1");
  await edit.getByRole("button", { name: "Save" }).click();
  await opened.getByText("priority 1", { exact: false }).waitFor();
  expect(bench.git(bench.repo, "log", "-1", "--format=%s")).toMatch(/^Edit TKT-.*: Show two prices$/);
  expect(bench.git(bench.repo, "status", "--porcelain")).toBe("");
  await page.getByRole("tab", { name: "Hierarchy" }).click();
  await page
    .getByRole("list", { name: /^Tickets, those of an intent/ })
    .getByText("level 2:")
    .waitFor();
  await expectAccessible(page);
  expect(faults).toEqual([]);
});

inBrowser(
  "a ticket without proof is not closed, and what is missing is told; one that is leased says by whom",
  async () => {
    const id = await bench.ticket({ title: "Nobody did it", checks: [["true"]] });
    const { page } = await openWindow(daemon, place({ id }));
    const opened = page.getByRole("region", { name: "The ticket" });
    await opened.getByRole("button", { name: "Close on proof" }).click();
    await page.locator(".toast-error", { hasText: "not proven" }).waitFor();
    await daemon.call("POST", `/api/tickets/${id}/lease`, { cwd: bench.repo, minutes: 30 });
    await opened.getByText("30 min left").waitFor();
    await page.locator(".tickets-card", { hasText: "Nobody did it" }).getByText("30 min left").waitFor();
    expect(await opened.getByRole("button", { name: "Start work" }).count()).toBe(0);
  },
);

test.skipIf(!needs("chromium") || !needs("bwrap"))(
  "a session is started on a ticket; the board then says who holds it",
  async () => {
    const id = await bench.ticket({ title: "Write a file", scope: { allow: ["src/**"] } });
    const { page, faults } = await openWindow(daemon, place({ id }));
    const opened = page.getByRole("region", { name: "The ticket" });
    await opened.getByRole("button", { name: "Start work" }).click();
    const dialog = page.getByRole("dialog", { name: `Start work on ${id}` });
    await dialog.getByLabel("Agent").selectOption("demo");
    await dialog.getByLabel("What to do").fill("write src/new.ts 1");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Start it" }).click();
    await page.waitForURL("**/ui/session/*");
    await page.goto(`${daemon.url}${place({ id })}`);
    await opened.getByRole("link", { name: "Write a file" }).waitFor();
    await opened.getByText("active", { exact: true }).waitFor();
    expect(await opened.getByRole("button", { name: "Start work" }).count()).toBe(0);
    expect(faults).toEqual([]);
  },
);

for (const [name, options] of [
  ["dark", { colorScheme: "dark" }],
  ["phone", PHONE],
] as const)
  inBrowser(`hostile tickets are only text, an unread file is told, and all fits: ${name}`, async () => {
    const hostile = (HOSTILE_TEXTS["html"] ?? "").slice(0, 150);
    const id = await bench.ticket({ title: hostile.replaceAll("\n", " "), body: hostile, labels: ["<b>x</b>"] });
    writeFileSync(join(bench.repo, ".nomos/tickets/TKT-BROKEN-1.yaml"), "kind: [");
    bench.git(bench.repo, "add", "--all");
    bench.git(bench.repo, "commit", "--quiet", "-m", "break");
    const { page, faults } = await openWindow(daemon, place({ id }), options);
    await page.getByRole("region", { name: "The ticket" }).waitFor();
    await page.getByRole("alert").getByText("TKT-BROKEN-1.yaml").first().waitFor();
    await expectAccessible(page);
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
    expect(await page.locator("#main script, #main img, #main iframe, #main b").count()).toBe(0);
    expect(faults).toEqual([]);
    bench.git(bench.repo, "rm", "--quiet", ".nomos/tickets/TKT-BROKEN-1.yaml");
    bench.git(bench.repo, "commit", "--quiet", "-m", "mend");
  });
