import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { startWithAgents } from "../e2e/support/fake-agents.ts";
import { eventsOf, eventually, newFolder, start } from "../e2e/support/talk.ts";
import { openWindow } from "../support/browser.ts";
import { needs } from "../support/needs.ts";

const inBrowser = test.skipIf(!needs("chromium"));
const UNREAD_MS = 700;

const promptBox = (page: Page) => page.getByRole("textbox", { name: "Prompt", exact: true });
const talk = (page: Page) => page.getByRole("list", { name: "Transcript" });

inBrowser("an agent over ACP: thought, plan, diff, tokens, model, command and a question for always", async () => {
  const daemon = await startWithAgents({ fake: [] });
  const { id } = await start(daemon, {
    adapter: "fake",
    cwd: await newFolder(),
    prompt: "think first I look\nplan read it,change it\nwrite notes.md hello there\ntokens 1200 300\nsay done",
  });
  const { page, faults } = await openWindow(daemon, `/ui/session/${id}`);
  await talk(page).getByText("Thought first I look").click();
  await talk(page).getByRole("paragraph").filter({ hasText: "first I look" }).waitFor();
  await talk(page).getByRole("list", { name: "Plan" }).getByText("change it").waitFor();
  await talk(page).getByText("hello there").first().waitFor();
  await talk(page).getByText("1.5k tokens").waitFor();

  await page.getByLabel("Mode", { exact: true }).selectOption({ index: 1 });
  await eventually("the mode", async () => (await eventsOf(daemon, id, "types=driver.configured")).length === 1);

  await promptBox(page).fill("/com");
  await page.getByRole("option", { name: /compact/ }).waitFor();
  await promptBox(page).press("Tab");
  expect(await promptBox(page).inputValue()).toBe("/compact ");

  await promptBox(page).fill("ask make clean");
  await promptBox(page).press("Enter");
  const question = page.getByRole("region", { name: "Open question" });
  await question.getByText("make clean").first().waitFor();
  await question.getByText("until this session ends").waitFor();
  await page.waitForTimeout(UNREAD_MS);
  await promptBox(page).blur();
  await page.keyboard.press("a");
  await talk(page).getByText("completed").nth(1).waitFor();
  expect((await eventsOf(daemon, id, "types=approval.answered"))[0]?.data["option"]).toBe("always");

  await page.getByRole("tab", { name: "Spent" }).click();
  await page.getByRole("cell", { name: "1.2k" }).waitFor();
  expect(faults).toEqual([]);
});
