import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, newFolder, show, start, turn } from "../e2e/support/talk.ts";
import { openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";

const inBrowser = test.skipIf(!needs("chromium"));

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** Whether it can be pressed where it is, without scrolling. */
async function isInReach(page: Page, what: Locator): Promise<boolean> {
  const box = await what.boundingBox();
  if (box === null) return false;
  const point = `${box.x + box.width / 2}, ${box.y + box.height / 2}`;
  const top = await page.evaluate(`document.elementFromPoint(${point})?.textContent ?? ""`);
  return (await what.textContent())?.includes(String(top)) === true && top !== "";
}

inBrowser("on a phone a question longer than the screen has its answers in sight", async () => {
  const { id } = await start(daemon, { cwd: await newFolder(), prompt: `ask ${"Is this very long? ".repeat(150)}` });
  await eventually("the question", async () => (await show(daemon, id)).waitingFor === "approval");
  const { page } = await openWindow(daemon, `/ui/session/${id}`, PHONE);
  const yes = page.getByRole("region", { name: "Open question" }).getByRole("button", { name: /Yes/ });
  await yes.waitFor();
  await eventually("the button is in reach", () => isInReach(page, yes));
});

for (const [size, options] of [
  ["desktop", {}],
  ["phone", PHONE],
] as const)
  inBrowser(`at the end of a long talk the other views are in reach: ${size}`, async () => {
    const { id } = await start(daemon, { cwd: await newFolder() });
    await turn(daemon, id, Array.from({ length: 80 }, (_, at) => `say line ${at}`).join("\n"));
    const { page } = await openWindow(daemon, `/ui/session/${id}`, options);
    await page.getByText("line 79", { exact: true }).waitFor();
    const [box, send] = await Promise.all(
      [page.locator(".session-prompt"), page.getByRole("button", { name: "Send" })].map((one) => one.boundingBox()),
    );
    expect((send?.x ?? 0) + (send?.width ?? 0)).toBeGreaterThan((box?.x ?? 0) + (box?.width ?? 0) - 20);
    const tab = page.getByRole("tab", { name: "Files" });
    await eventually("the tab is in reach", () => isInReach(page, tab));
    await tab.click();
    await page.getByText("No file changed in this turn.").waitFor();
  });

inBrowser("a prompt of this browser is from you, one from elsewhere is not", async () => {
  const { id } = await start(daemon, { cwd: await newFolder() });
  await turn(daemon, id, "say from elsewhere");
  const { page } = await openWindow(daemon, `/ui/session/${id}`);
  await page.getByRole("textbox", { name: "Prompt", exact: true }).fill("say from here");
  await page.keyboard.press("Enter");
  await page.getByText("from here", { exact: true }).waitFor();
  const prompts = page.locator(".talk-prompt .talk-by");
  await eventually("both prompts", async () => (await prompts.count()) === 2);
  expect((await prompts.allTextContents()).map((text) => /you/.test(text))).toEqual([false, true]);
});

inBrowser("somebody who has a session is not welcomed again", async () => {
  await start(daemon, { cwd: await newFolder(), title: "Mine" });
  const { page } = await openWindow(daemon);
  await page.locator(".now-row", { hasText: "Mine" }).waitFor();
  expect(await page.getByText("Welcome").count()).toBe(0);
});
