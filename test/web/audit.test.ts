import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsOf, eventually, type Session, start, turn } from "../e2e/support/talk.ts";
import { HOSTILE_TEXTS } from "../fixtures/hostile-texts.ts";
import { expectAccessible, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { verdictOf } from "../support/verifier.ts";

const inBrowser = test.skipIf(!needs("chromium"));
const provesInBrowser = proves.skipIf(!needs("chromium"));

let daemon: TestDaemon;
let session: Session;
let said: string;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
  const cwd = join(daemon.home, "../work");
  await mkdir(cwd, { recursive: true });
  session = await start(daemon, { cwd, title: "Telling" });
  await turn(daemon, session.id, "say a rare marmot");
  said = (await eventsOf(daemon, session.id)).find(({ type }) => type === "message.completed@1")?.id ?? "";
});
afterAll(() => daemon[Symbol.asyncDispose]());

const checkpoint = async () =>
  (await daemon.call<{ size: number }>("GET", "/api/audit/checkpoint", undefined, { accept: "application/json" })).body;
const ALARM = "This is not the log this browser saw.";

inBrowser("the log is listed newest first; filters, keys and search lead to one event", async () => {
  const { page, faults } = await openWindow(daemon, "/ui/audit");
  const rows = page.locator(".audit-entry");
  await rows.first().waitFor();
  const seqs = (await page.locator(".audit-seq").allTextContents()).map(Number);
  expect(seqs).toEqual(seqs.toSorted((one, other) => other - one));
  await page.getByLabel("Type").fill("message.completed");
  await page.getByLabel("Type").press("Enter");
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByLabel("Type").blur();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "message.completed@1" }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByLabel("Agent").selectOption("demo");
  await expect.poll(async () => new Set(await page.locator(".audit-stream").allTextContents()).size).toBeLessThan(3);
  await page.getByLabel("Search what sessions said").fill("marmot");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.locator(".audit-hits").getByText("marmot").first().waitFor();
  expect(faults).toEqual([]);
});

inBrowser("filters by stream, actor and time show a part of the log, and say so when nothing matches", async () => {
  const { page } = await openWindow(daemon, `/ui/audit?stream=session/${session.id}`);
  await page.locator(".audit-entry").first().waitFor();
  await expect
    .poll(async () => [...new Set(await page.locator(".audit-stream").allTextContents())])
    .toEqual([session.name]);
  await page.getByLabel("Actor").fill("operator");
  await page.getByLabel("Actor").press("Enter");
  await expect
    .poll(async () => [...new Set(await page.locator(".audit-actor").allTextContents())])
    .toEqual(["operator"]);
  await page.getByLabel("Until").fill("2020-01-01T00:00");
  await page.getByLabel("Until").press("Enter");
  await page.getByRole("heading", { name: "No event matches" }).waitFor();
});

provesInBrowser("AUD-11", "the proof of an event holds, step by step, in the browser", async () => {
  const { page, faults } = await openWindow(daemon, `/ui/audit/event/${said}`);
  await page.getByRole("heading", { name: "Proved in this browser" }).waitFor();
  expect(await page.locator(".audit-step-good").count()).toBe(7);
  await page.getByText("What this does not prove").waitFor();
  await page.getByText("a rare marmot").first().waitFor();
  expect(faults).toEqual([]);
});

interface ProofAnswer {
  readonly hashes: readonly string[];
  readonly event: { readonly header: string; readonly data: string };
  readonly checkpoint: string;
}

/** Changes an answer of the daemon on its way to the page. */
async function forge<T>(page: Page, path: string, change: (answer: T) => object): Promise<void> {
  await page.route(`**${path}**`, async (route: Route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change((await response.json()) as T) });
  });
}

const FORGERIES: readonly (readonly [string, (answer: ProofAnswer) => object])[] = [
  [
    "its header",
    (answer) => ({
      ...answer,
      event: { ...answer.event, header: answer.event.header.replace('"version":', '"version":1') },
    }),
  ],
  [
    "its data",
    (answer) => ({ ...answer, event: { ...answer.event, data: Buffer.from('{"text":"a lie"}').toString("base64") } }),
  ],
  ["its path", (answer) => ({ ...answer, hashes: answer.hashes.toReversed() })],
  ["its checkpoint", (answer) => ({ ...answer, checkpoint: answer.checkpoint.replace(/\n\d+\n/, "\n9999\n") })],
];
for (const [what, change] of FORGERIES)
  provesInBrowser("AUD-11", `a daemon that lies about ${what}: refused in red`, async () => {
    const { page } = await openWindow(daemon, "/ui/audit");
    await forge(page, "/api/audit/proof/", change);
    await page.goto(`${daemon.url}/ui/audit/event/${said}`);
    await page.getByRole("heading", { name: "The proof does not hold" }).waitFor();
    expect(await page.locator(".audit-step-bad").count()).toBeGreaterThan(0);
    expect(await page.getByText("Proved in this browser").count()).toBe(0);
  });

provesInBrowser("AUD-11", "a daemon that proves one event and shows another: refused in red", async () => {
  const { page } = await openWindow(daemon, "/ui/audit");
  await forge<{ data: object }>(page, `/events/${said}`, (answer) => ({ ...answer, data: { text: "a lie" } }));
  await page.goto(`${daemon.url}/ui/audit/event/${said}`);
  await page.getByRole("heading", { name: "The proof does not hold" }).waitFor();
  await page.getByText("The daemon shows something else than it proved: data.").waitFor();
});

provesInBrowser("AUD-11", "a browser that comes back proves that the log begins with what it saw", async () => {
  const { page } = await openWindow(daemon, "/ui/audit");
  await page.getByText("First look").waitFor();
  const { size } = await checkpoint();
  await turn(daemon, session.id, "say more");
  await eventually("a newer checkpoint", async () => (await checkpoint()).size > size);
  await page.reload();
  await page.getByText("The log still begins with the").waitFor();
  expect(await page.getByText(ALARM).count()).toBe(0);
});

provesInBrowser(
  "AUD-11",
  "a changed key or a rewritten log: a loud warning that stays until a person says so",
  async () => {
    const { page, context } = await openWindow(daemon, "/ui/audit");
    await page.getByText("First look").waitFor();
    const rewrite = (change: object) =>
      page.evaluate(
        ([name, more]) =>
          localStorage.setItem(name, JSON.stringify({ ...JSON.parse(localStorage.getItem(name) ?? ""), ...more })),
        ["nomos.witness", change] as const,
      );
    for (const seen of [{ root: "ab".repeat(32) }, { size: 1_000_000 }, { key: "nomos/other+00000000+AAAA" }]) {
      const before = await page.evaluate(() => localStorage.getItem("nomos.witness") ?? "");
      await rewrite(seen);
      await page.reload();
      await page.getByRole("alert").getByText(ALARM).waitFor();
      const second = await context.newPage();
      await second.goto(`${daemon.url}/ui/audit/event/${said}`);
      await second.getByRole("heading", { name: "The proof does not hold" }).waitFor();
      await second.close();
      await page.evaluate((text) => localStorage.setItem("nomos.witness", text), before);
    }
    await rewrite({ root: "cd".repeat(32) });
    await page.reload();
    await page.getByRole("button", { name: "I know why: begin anew" }).click();
    await page.getByRole("button", { name: "Forget what I saw" }).click();
    await page.getByText("First look").waitFor();
  },
);

inBrowser("the whole log is verified and exported from the page, and the verifier accepts the export", async () => {
  const { page, faults } = await openWindow(daemon, "/ui/audit?tab=evidence");
  await page.getByRole("button", { name: "Verify now" }).click();
  await page.getByText("intact").waitFor();
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const command = await page.getByText(/^npx nomos-verify /).textContent();
  expect(await verdictOf(command?.replace("npx nomos-verify ", "").replaceAll("'", "") ?? "")).toMatchObject({
    ok: true,
  });
  await page.getByRole("heading", { name: "No anchor keeps the checkpoints elsewhere" }).waitFor();
  expect(faults).toEqual([]);
});

inBrowser("hostile text is shown as text, in the list and in the event", async () => {
  const hostile = Object.values(HOSTILE_TEXTS)
    .join(" ")
    .replace(/[\n\0]/g, " ")
    .toWellFormed();
  await turn(daemon, session.id, `say ${hostile}`);
  const { page, faults } = await openWindow(daemon, "/ui/audit?type=message.completed");
  const row = page.locator(".audit-entry", { hasText: "<img src=x onerror=" });
  await row.waitFor();
  expect((await row.boundingBox())?.height).toBeLessThan(60);
  await row.click();
  await page.getByRole("heading", { name: "Proved in this browser" }).waitFor();
  expect(await page.evaluate("document.querySelectorAll('main img, main iframe, [onerror]').length")).toBe(0);
  expect(await page.title()).not.toContain("owned");
  expect(faults).toEqual([]);
});

inBrowser("the audit is accessible on a phone and on a screen, in the dark too", async () => {
  for (const options of [{ ...PHONE, colorScheme: "dark" as const }, {}]) {
    const { page } = await openWindow(daemon, "/ui/audit", options);
    await page.locator(".audit-entry").first().waitFor();
    await expectAccessible(page);
    await page.goto(`${daemon.url}/ui/audit?tab=evidence`);
    await page.getByRole("heading", { name: "Signed checkpoint" }).waitFor();
    await expectAccessible(page);
    await page.goto(`${daemon.url}/ui/audit/event/${said}`);
    await page.getByRole("heading", { name: "Proved in this browser" }).waitFor();
    await expectAccessible(page);
  }
});
