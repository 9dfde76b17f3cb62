import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { eventsOf, eventually, idle, newFolder, PATIENCE, start, turn } from "../e2e/support/talk.ts";
import { failing, startModelServer } from "../engine/model-server/index.ts";
import { expectAccessible, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";

vi.setConfig(PATIENCE);
const inBrowser = test.skipIf(!needs("chromium"));
/** Runs until a test lets it end. */
const UNTIL_GO = "while [ ! -f go ]; do sleep 0.1; done";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const promptBox = (page: Page) => page.getByRole("textbox", { name: "Prompt", exact: true });
const talk = (page: Page) => page.getByRole("list", { name: "Transcript" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function opened(prompt: string, options = {}) {
  const cwd = await newFolder();
  const { id } = await start(daemon, { adapter: "nomos", model: "demo/script", cwd, prompt });
  return { ...(await openWindow(daemon, `/ui/session/${id}`, options)), id, cwd };
}

inBrowser("while it works, Enter steers: the message is accepted, then delivered with the next step", async () => {
  const { page, id, cwd, faults } = await opened(`say begun\nrun ${UNTIL_GO}\nsay never`);
  await talk(page).getByText("begun", { exact: true }).waitFor();
  await promptBox(page).fill("say steered instead");
  await button(page, "Queue").waitFor();
  await button(page, "Interrupt and send").waitFor();
  await button(page, "Steer").waitFor();
  await promptBox(page).press("Enter");
  await talk(page).getByText("Said while it worked").waitFor();
  await talk(page).getByText("accepted: goes with the next step").waitFor();
  await writeFile(join(cwd, "go"), "");
  await talk(page).getByText("delivered", { exact: true }).waitFor();
  await talk(page).getByText("steered instead", { exact: true }).waitFor();
  await talk(page).getByText("completed").waitFor();
  expect((await eventsOf(daemon, id, "types=turn.admitted")).length).toBe(1);
  // The command and its effect are one card.
  expect(await page.locator(".talk-tool").count()).toBe(1);
  await button(page, "Send").waitFor();
  expect(faults).toEqual([]);
});

inBrowser("Queue makes a turn of its own; Interrupt and send ends the running one", async () => {
  const { page, id } = await opened("run sleep 60");
  await talk(page).getByText("sleep 60").last().waitFor();
  await promptBox(page).fill("say queued words");
  await button(page, "Queue").click();
  await page.getByText("1 prompt waits for the running turn").waitFor();
  await promptBox(page).fill("say after all");
  await button(page, "Interrupt and send").click();
  await talk(page).getByText("queued words").last().waitFor();
  await talk(page).getByText("after all").last().waitFor();
  expect((await eventsOf(daemon, id, "types=turn.steered")).length).toBe(0);
});

inBrowser("the meter shows the context, its parts and the compaction; steps show model and tokens", async () => {
  const { page, id } = await opened("say one\nrun echo two\nsay three");
  await idle(daemon, id);
  await page.getByRole("meter", { name: "Context" }).waitFor();
  await page.locator(".session-context > summary").click();
  const parts = page.getByRole("region", { name: "Parts of the context" });
  await parts.getByRole("row", { name: /identity built-in/ }).waitFor();
  await parts.getByRole("row", { name: /Together window 128k/ }).waitFor();

  await talk(page).getByText("2 steps · demo/script").click();
  const steps = page.getByRole("region", { name: "Steps of the turn" });
  await steps.getByRole("row").nth(2).waitFor();
  await steps.getByRole("cell", { name: "demo/script" }).first().waitFor();
  await expectAccessible(page);

  await button(page, "Compact …").click();
  await page.getByLabel("Focus").fill("the numbers");
  await page.getByRole("dialog").getByRole("button", { name: "Compact" }).click();
  await talk(page)
    .getByText(/Compacted: .+ → .+ tokens/)
    .click();
  await talk(page).getByText("with a focus on the numbers").waitFor();
  await talk(page).getByText("The log keeps all of it").waitFor();
  await page.getByText("Compacted.", { exact: true }).waitFor();
});

inBrowser("a session waits for its usage limit: the board and the page say until when", async () => {
  await using server = await startModelServer();
  server.decide(() => failing(429, { error: { message: "usage limit reached" } }, { "retry-after": "3600" }));
  await daemon.call("POST", "/api/models", {
    name: "acme",
    api: "openai-chat",
    baseUrl: `${server.url}/v1`,
    model: "m",
  });
  const { id } = await start(daemon, { adapter: "nomos", model: "acme/m", cwd: await newFolder(), prompt: "hello" });
  await eventually("parked", async () => (await eventsOf(daemon, id, "types=quota.reached")).length === 1);
  const { page } = await openWindow(daemon, `/ui/session/${id}`, PHONE);
  await page
    .getByRole("status")
    .getByText(/Waits for the usage limit until/)
    .waitFor();
  await talk(page).getByText("then the turn goes on").waitFor();
  await page.getByText("waiting", { exact: true }).last().waitFor();
  await expectAccessible(page);
  await page.goto(`${daemon.url}/ui/now`);
  await page.getByRole("button", { name: "1 waiting" }).waitFor();
});

inBrowser("the start page offers the models of nomos; model and agent of a session can be changed", async () => {
  const { page, faults } = await openWindow(daemon, "/ui/start?agent=nomos");
  await page.getByLabel("Model", { exact: true }).selectOption("demo/script");
  await page.getByLabel("The task").fill("say from the form");
  await button(page, "Start with nomos").click();
  await page.waitForURL("**/ui/session/*");
  await talk(page).getByText("from the form", { exact: true }).waitFor();
  await talk(page).getByText("completed").waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const model = page.getByLabel("Model", { exact: true });
  await eventually("the model", async () => (await model.inputValue()) === "demo/script");

  await page.getByRole("button", { name: "More actions" }).click();
  await button(page, "Change agent or model").click();
  const dialog = page.getByRole("dialog");
  await eventually("the agent", async () => (await dialog.getByLabel("Agent").inputValue()) === "nomos");
  await dialog.getByLabel("Agent").selectOption("demo");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Change", exact: true }).click();
  await talk(page).getByText("From here on with demo").waitFor();
  await turn(daemon, id, "say by demo now");
  await talk(page).getByText("by demo now", { exact: true }).waitFor();
  expect(faults).toEqual([]);
});
