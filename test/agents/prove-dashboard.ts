import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { approvalsOf, idle } from "../e2e/support/talk.ts";
import { openWindow } from "../support/browser.ts";
import type { Recipe } from "./recipes.ts";
import type { Stage } from "./stage.ts";

/** A key answers only what was on the screen for a moment. */
const UNREAD_MS = 700;
const STREAM_MS = 1500;

/** A person in a browser: start, watch, allow, look at the files, refuse, rewind, fork, compare and kill. */
export async function proveDashboard(stage: Stage, recipe: Recipe): Promise<void> {
  const cwd = await stage.folder();
  const verb = recipe.asksOn ?? "write";
  const [kept, refused] = [join(cwd, "kept.txt"), join(cwd, "refused.txt")];
  const { page, faults } = await openWindow(stage.daemon(), "/ui/start");
  const id = await startSession(page, recipe.slug, cwd, `@script\nslow ${STREAM_MS}`);
  const talk = page.getByRole("list", { name: "Transcript" });
  await talk.getByText("@script").waitFor();
  await talk.locator(".talk-streaming").getByText("thinking").waitFor();
  await talk.getByText("at last").waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
  // Some agents offer their modes twice.
  expect(await page.getByLabel("Mode", { exact: true }).count()).toBeLessThan(2);

  await say(page, `@script\n${verb} ${kept} hello`);
  await answerByKey(page, "kept.txt", "y");
  await idle(stage.daemon(), id);
  expect(await readFile(kept, "utf8")).toContain("hello");
  await page.getByRole("tab", { name: "Files" }).click();
  const turn = page.locator(".session-turn", { hasText: "Turn 2" });
  await turn.locator("summary", { hasText: "kept.txt" }).getByText("added").waitFor();
  await turn.getByText("hello", { exact: true }).first().waitFor();
  await page.getByRole("tab", { name: "Talk" }).click();

  await say(page, `@script\n${verb} ${refused} hello`);
  await answerByKey(page, "refused.txt", "x");
  await page.keyboard.type("not this one");
  await page.keyboard.press("Enter");
  await talk.getByText("not this one").waitFor();
  await idle(stage.daemon(), id);
  expect(existsSync(refused)).toBe(false);
  expect((await approvalsOf(stage.daemon(), id)).map(({ status }) => status).sort()).toEqual(["approved", "rejected"]);

  await goToEndOfTurn1(page);
  await page.getByRole("button", { name: "Rewind to here" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("kept.txt").waitFor();
  await dialog.getByRole("button", { name: "Rewind" }).click();
  await dialog.getByText("Removed").waitFor();
  await dialog.getByRole("button", { name: "Keep it rewound" }).click();
  await talk.getByText("2 turns rewound").waitFor();
  expect(existsSync(kept)).toBe(false);

  await say(page, "@script\nsay the parent goes on");
  await talk.getByText("the parent goes on", { exact: true }).waitFor();
  await goToEndOfTurn1(page);
  await page.getByRole("button", { name: "Fork from here" }).click();
  await page.getByText("fork of its parent").waitFor();
  await say(page, "@script\nsay the fork goes on");
  await talk.getByText("the fork goes on", { exact: true }).waitFor();
  const fork = page.url().split("/").at(-1) ?? "";
  await page.getByRole("link", { name: "compare" }).first().click();
  for (const side of ["parent", "fork"])
    await page.locator(".compare-side").getByText(`the ${side} goes on`, { exact: true }).waitFor();

  for (const one of [id, fork]) await kill(page, stage.daemon().url, one);
  expect(faults).toEqual([]);
}

async function startSession(page: Page, agent: string, cwd: string, task: string): Promise<string> {
  await page.getByLabel("Agent").selectOption(agent);
  await page.getByText("More choices").click();
  await page.getByLabel("Folder").fill(cwd);
  await page.getByLabel("The task").fill(task);
  await page.getByRole("button", { name: `Start with ${agent}` }).click();
  await page.waitForURL("**/ui/session/*");
  return page.url().split("/").at(-1) ?? "";
}

async function say(page: Page, prompt: string): Promise<void> {
  await page.getByLabel("Prompt", { exact: true }).fill(prompt);
  await page.keyboard.press("Enter");
}

/** The question shows the very command or diff. */
async function answerByKey(page: Page, file: string, key: string): Promise<void> {
  const question: Locator = page.getByRole("region", { name: "Open question" });
  await question.getByText(file).first().waitFor();
  await question.getByText("hello").first().waitFor();
  await page.keyboard.press("Escape");
  await page.waitForTimeout(UNREAD_MS);
  await page.keyboard.press(key);
}

/** On the timeline: to the beginning, on to the first mark, and then event by event. */
async function goToEndOfTurn1(page: Page): Promise<void> {
  const status = page.locator(".session-as-of").getByRole("status");
  await page.getByRole("slider", { name: "Timeline" }).focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("]");
  await status.getByText(/turn\.admitted/).waitFor();
  let [, at] = /event (\d+)/.exec(String(await status.textContent())) ?? [];
  while (!/turn\.ended/.test(String(await status.textContent()))) {
    await page.keyboard.press("ArrowRight");
    at = String(Number(at) + 1);
    await status.getByText(new RegExp(`event ${at} of \\d+, \\S+,`)).waitFor();
  }
}

async function kill(page: Page, url: string, id: string): Promise<void> {
  await page.goto(`${url}/ui/session/${id}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Kill" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Kill" }).click();
  await page.getByText("This session has ended").waitFor();
}
