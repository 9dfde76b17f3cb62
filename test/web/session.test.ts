import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  approvalsOf,
  eventsOf,
  eventually,
  expectOk,
  newFolder,
  pendingOf,
  type Session,
  show,
  start,
  turn,
} from "../e2e/support/talk.ts";
import { HOSTILE_TEXTS } from "../fixtures/hostile-texts.ts";
import { expectAccessible, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";

const inBrowser = test.skipIf(!needs("chromium"));
const provesInBrowser = proves.skipIf(!needs("chromium"));
/** A key answers only what was on the screen for a moment. */
const UNREAD_MS = 700;
/** Forty pages, one after the other, on a machine that may be busy. */
const LONG_SCROLL_MAX_MS = 70_000;

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const promptBox = (page: Page) => page.getByRole("textbox", { name: "Prompt", exact: true });
const talk = (page: Page) => page.getByRole("list", { name: "Transcript" });

async function send(page: Page, text: string): Promise<void> {
  await promptBox(page).fill(text);
  await promptBox(page).press("Enter");
  await eventually("the box is empty", async () => (await promptBox(page).inputValue()) === "");
}

async function opened(on = daemon, body: Readonly<Record<string, unknown>> = {}) {
  const session = await start(on, { cwd: await newFolder(), ...body });
  const window = await openWindow(on, `/ui/session/${session.id}`);
  return { ...window, id: session.id, session };
}

/** Scrolls the slider with the keys to where the entry stands last. */
async function scrubTo(page: Page, version: number): Promise<void> {
  await page.getByRole("slider", { name: "Timeline" }).fill(String(version));
  await page.getByText(`As of event ${version}`, { exact: true }).waitFor();
}

describe("the talk", () => {
  inBrowser("a prompt streams its answer, tools show their output and exit code", async () => {
    const { page, faults } = await opened();
    await send(page, "say # Heading\nsay **bold** words\nrun echo printed; exit 3\nwrite a.txt hello");
    await talk(page).getByRole("heading", { name: "Heading" }).waitFor();
    await talk(page).getByText("exit 3", { exact: true }).waitFor();
    await talk(page).getByText("printed", { exact: true }).waitFor();
    await talk(page).getByText("write a.txt", { exact: true }).waitFor();
    await talk(page).getByText("completed").waitFor();
    await expectAccessible(page);
    expect(faults).toEqual([]);
  });

  inBrowser("a failed turn shows its error; keys move and fold", async () => {
    const { page } = await opened(daemon, { prompt: "say one\nrun echo two\nfail the driver broke" });
    await talk(page).getByText("the driver broke", { exact: true }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    expect(await page.evaluate("document.activeElement.getAttribute('data-entry')")).not.toBeNull();
    const tool = page.locator("details.talk-tool", { hasText: "run echo two" });
    await tool.locator("xpath=..").focus();
    const before = await tool.getAttribute("open");
    await page.keyboard.press("o");
    expect(await tool.getAttribute("open")).not.toBe(before);
  });

  provesInBrowser("WS-1", "a killed daemon comes back: each event is shown once, none is lost", async () => {
    const own = await startDaemon({ outlivesTest: true });
    const port = Number(new URL(own.url).port);
    const { page, id } = await opened(own);
    for (let at = 0; at < 5; at += 1) await turn(own, id, `say before ${at}`);
    await talk(page).getByText("before 4", { exact: true }).waitFor();
    await own.kill9();
    await page.getByText("The daemon does not answer").waitFor();
    const again = await startDaemon({ home: own.home, args: ["--port", String(port)], outlivesTest: true });
    for (let at = 0; at < 5; at += 1) await turn(again, id, `say after ${at}`);
    await talk(page).getByText("after 4", { exact: true }).waitFor();
    for (const word of ["before", "after"])
      for (let at = 0; at < 5; at += 1)
        expect(await talk(page).getByText(`${word} ${at}`, { exact: true }).count()).toBe(1);
    const shown = await page
      .locator("[data-entry]")
      .evaluateAll((all) => all.map((one) => Number(one.dataset["entry"])));
    expect(new Set(shown).size).toBe(shown.length);
    await again[Symbol.asyncDispose]();
  });

  provesInBrowser("WS-2", "20,000 events: the newest come first, scrolling up reaches the first", async () => {
    const { id } = await start(daemon, { cwd: await newFolder(), title: "A long one" });
    for (let call = 0; call < 200; call += 1) {
      const events = Array.from({ length: 100 }, (_none, at) => ({ type: "step", payload: call * 100 + at }));
      expect((await daemon.call("POST", `/sessions/${id}/events`, { events })).status).toBe(201);
    }
    const { page } = await openWindow(daemon, `/ui/session/${id}`);
    const newest = (await eventsOf(daemon, id, "types=x.step")).at(-1)?.seq;
    await page.locator(`[data-entry="${newest}"]`).waitFor();
    const held = () => page.locator("[data-entry]").count();
    expect(await held()).toBeLessThanOrEqual(200);
    await eventually(
      "the beginning",
      async () => {
        await page.evaluate("scrollTo({ top: 0 })");
        return (await page.getByText(/^Started demo/).count()) === 1;
      },
      LONG_SCROLL_MAX_MS,
    );
    expect(await held()).toBeLessThanOrEqual(2_000);
    await page.getByRole("button", { name: "To the end" }).click();
    await page.locator(`[data-entry="${newest}"]`).waitFor();
    await scrubTo(page, 10_000);
    await page.getByText("event 10000 of").waitFor();
  });

  inBrowser("an older page that is read above does not move what is read", async () => {
    const { id } = await start(daemon, { cwd: await newFolder() });
    for (let call = 0; call < 10; call += 1) {
      const events = Array.from({ length: 100 }, (_none, at) => ({ type: "step", payload: call * 100 + at }));
      await daemon.call("POST", `/sessions/${id}/events`, { events });
    }
    const { page } = await openWindow(daemon, `/ui/session/${id}`);
    await page.locator("[data-entry]").first().waitFor();
    await page.evaluate("scrollTo({ top: 1300 })");
    const seen = page.locator("[data-entry]").nth(80);
    const entry = await seen.getAttribute("data-entry");
    const top = () => page.locator(`[data-entry="${entry}"]`).evaluate((one) => one.getBoundingClientRect().top);
    const topBefore = await top();
    const before = await page.locator("[data-entry]").count();
    await page.evaluate("scrollTo({ top: 1190 })");
    await eventually("more entries", async () => (await page.locator("[data-entry]").count()) > before);
    expect(Math.abs((await top()) - 110 - topBefore)).toBeLessThanOrEqual(8);
  });
});

describe("the prompt box", () => {
  inBrowser("a prompt waits in the queue while a turn runs; interrupt ends the turn and the next begins", async () => {
    const { page, id } = await opened(daemon, { prompt: "say begun\nsleep 60000" });
    await talk(page).getByText("begun", { exact: true }).waitFor();
    await send(page, "say from the queue");
    await page.getByText("1 prompt waits for the running turn").waitFor();
    await page.getByRole("button", { name: "Interrupt", exact: false }).first().click();
    await talk(page).getByText("interrupted", { exact: false }).first().waitFor();
    await talk(page).getByText("from the queue", { exact: true }).waitFor();
    expect((await eventsOf(daemon, id, "types=turn.admitted")).length).toBe(2);
  });

  provesInBrowser("WS-3", "a prompt that meets a dead daemon stays in the box and arrives once", async () => {
    const own = await startDaemon({ outlivesTest: true });
    const port = Number(new URL(own.url).port);
    const { page, id } = await opened(own);
    await promptBox(page).waitFor();
    // The request reaches the daemon, and its answer is lost.
    let lost = 0;
    await page.route("**/prompt", async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      await route.abort();
    });
    await promptBox(page).fill("say exactly once");
    await promptBox(page).press("Enter");
    await talk(page).getByText("exactly once", { exact: true }).waitFor();
    await eventually("the box is empty", async () => (await promptBox(page).inputValue()) === "");
    expect(lost).toBe(1);
    await own.kill9();
    await promptBox(page).fill("say after the restart");
    await promptBox(page).press("Enter");
    await page.getByText("The prompt is sent when it is back").waitFor();
    expect(await promptBox(page).inputValue()).toBe("say after the restart");
    const again = await startDaemon({ home: own.home, args: ["--port", String(port)], outlivesTest: true });
    await talk(page).getByText("after the restart", { exact: true }).waitFor();
    expect((await eventsOf(again, id, "types=turn.admitted")).length).toBe(2);
    await again[Symbol.asyncDispose]();
  });

  inBrowser("drafts outlive a reload, arrow up brings earlier prompts, rename and kill ask or act", async () => {
    const { page, id } = await opened(daemon, { prompt: "say earlier" });
    await talk(page).getByText("earlier", { exact: true }).waitFor();
    await promptBox(page).fill("a draft");
    await page.reload();
    await eventually("the draft", async () => (await promptBox(page).inputValue()) === "a draft");
    await promptBox(page).fill("");
    await promptBox(page).press("ArrowUp");
    await eventually("the earlier prompt", async () => (await promptBox(page).inputValue()) === "say earlier");
    await promptBox(page).fill("");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("Title").fill("Another name");
    await page.getByLabel("Title").press("Enter");
    await page.getByRole("heading", { name: "Another name" }).waitFor();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Kill" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Kill" }).click();
    await page.getByText("This session has ended").waitFor();
    expect((await show(daemon, id)).state).toBe("killed");
  });

  inBrowser("attachments are picked, listed and sent; an agent that takes none says so", async () => {
    const { page, id } = await opened();
    const file = { name: "picture.png", mimeType: "image/png", buffer: Buffer.from("not really a picture") };
    await page.getByLabel("Files to attach").setInputFiles(file);
    await page.getByRole("list", { name: "Attachments" }).getByText("picture.png").waitFor();
    await send(page, "say with a picture");
    await talk(page).getByText("picture.png").waitFor();
    await talk(page).getByText("failed").first().waitFor();
    const [attached] = await eventsOf(daemon, id, "types=turn.attached");
    expect(JSON.stringify(attached?.data)).toContain("image/png");
  });
});

describe("questions", () => {
  inBrowser("the question is pinned; yes by key, no with a reason; the talk says who answered", async () => {
    const { page, id } = await opened(daemon, { prompt: "ask May I?\nask And this?" });
    const pinned = page.getByRole("region", { name: "Open question" });
    await pinned.getByText("May I?").waitFor();
    await page.keyboard.press("y");
    expect((await approvalsOf(daemon, id))[0]?.status).toBe("pending");
    await page.waitForTimeout(UNREAD_MS);
    await page.keyboard.press("y");
    await pinned.getByText("And this?").waitFor();
    await page.waitForTimeout(UNREAD_MS);
    await page.keyboard.press("x");
    await page.keyboard.type("not today");
    await page.keyboard.press("Enter");
    await talk(page).getByText("rejected: not today").waitFor();
    expect(await talk(page).getByText("answered by").count()).toBe(2);
  });

  inBrowser("somebody else answers: the page says so, and the question is gone", async () => {
    const { page, id } = await opened(daemon, { prompt: "ask Who is first?" });
    await page.getByRole("region", { name: "Open question" }).waitFor();
    const { id: approvalId } = await pendingOf(daemon, id);
    await daemon.call("POST", `/api/approvals/${approvalId}/approve`, {});
    await page.getByText("The question was approved by").waitFor();
    expect(await page.getByRole("region", { name: "Open question" }).count()).toBe(0);
  });
});

describe("the timeline", () => {
  provesInBrowser(
    "WS-4",
    "scrubbing shows the talk as of an event; a rewind restores the files and can be undone",
    async () => {
      const cwd = await newFolder();
      const { page, id } = await opened(daemon, { cwd });
      await turn(daemon, id, "say first\nwrite a.txt one");
      await turn(daemon, id, "say second\nwrite a.txt two\nwrite b.txt new");
      await talk(page).getByText("second", { exact: true }).waitFor();
      const [end] = await eventsOf(daemon, id, "types=turn.ended");
      await scrubTo(page, end?.version ?? 0);
      await talk(page).getByText("second", { exact: true }).waitFor({ state: "detached" });
      await talk(page).getByText("first", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Rewind to here" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("1 turn will no longer count").waitFor();
      await dialog.getByText("b.txt").waitFor();
      await dialog.getByRole("button", { name: "Rewind" }).click();
      await dialog.getByText("Restored:").waitFor();
      expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one");
      await dialog.getByRole("button", { name: "Undo the rewind" }).click();
      await eventually("undone", async () => (await readFile(join(cwd, "a.txt"), "utf8")) === "two");
      await page.getByText("The rewind was undone").waitFor();
    },
  );

  provesInBrowser("WS-4", "files that others changed are listed, and overwritten only after a second yes", async () => {
    const cwd = await newFolder();
    const { page, id } = await opened(daemon, { cwd });
    await turn(daemon, id, "say first\nwrite a.txt one");
    await turn(daemon, id, "write a.txt two");
    await writeFile(join(cwd, "a.txt"), "a person's own");
    const [end] = await eventsOf(daemon, id, "types=turn.ended");
    await talk(page).getByText("completed").nth(1).waitFor();
    await scrubTo(page, end?.version ?? 0);
    await page.getByRole("button", { name: "Rewind to here" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rewind" }).click();
    await page.getByRole("heading", { name: "Overwrite what others changed?" }).waitFor();
    await page.getByRole("dialog").getByText("a.txt").waitFor();
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("a person's own");
    await page.getByRole("dialog").getByRole("button", { name: "Overwrite" }).click();
    await page.getByRole("heading", { name: /^Rewound/ }).waitFor();
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one");
    await page.getByRole("dialog").getByRole("button", { name: "Keep it rewound" }).click();
    await page.getByText("1 turn rewound").waitFor();
  });

  inBrowser("a fork goes its own way, and both are compared: talk and files", async () => {
    const { page, id, faults } = await opened();
    await turn(daemon, id, "say shared\nwrite a.txt one");
    await talk(page).getByText("shared", { exact: true }).waitFor();
    const [end] = await eventsOf(daemon, id, "types=turn.ended");
    await turn(daemon, id, "say parent only\nwrite a.txt parent");
    await talk(page).getByText("parent only", { exact: true }).waitFor();
    await scrubTo(page, end?.version ?? 0);
    await page.getByRole("button", { name: "Fork from here" }).click();
    await page.getByText("Forked from").waitFor();
    await talk(page).getByText("shared", { exact: true }).waitFor();
    await send(page, "say fork only\nwrite a.txt fork\nwrite c.txt more");
    await talk(page).getByText("fork only", { exact: true }).waitFor();
    await talk(page).getByText("completed").last().waitFor();
    await page.getByRole("link", { name: "compare" }).first().click();
    await page.getByRole("heading", { name: "Compare" }).waitFor();
    await page.getByText("parent only", { exact: true }).waitFor();
    await page.getByText("fork only", { exact: true }).waitFor();
    expect(await page.getByText("shared", { exact: true }).count()).toBe(0);
    await page.getByRole("tab", { name: "Files" }).click();
    await page.getByRole("row", { name: /a\.txt.*both/ }).waitFor();
    await page.getByRole("row", { name: /c\.txt/ }).waitFor();
    await expectAccessible(page);
    expect(faults).toEqual([]);
  });
});

describe("the other views", () => {
  inBrowser("files by turn with their diff, raw events with a filter and the way to the proof", async () => {
    const { page, id, faults } = await opened();
    await turn(daemon, id, "write a.txt hello\nrun echo from the shell");
    await page.getByRole("tab", { name: "Files" }).click();
    await page.locator("details.talk-tool", { hasText: "a.txt" }).first().waitFor();
    await page.getByText("added", { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole("tab", { name: "Events" }).click();
    await page.getByLabel("Types of events").fill("turn.ended");
    await page.getByLabel("Types of events").press("Enter");
    await page.getByText("turn.ended@1").waitFor();
    await page.getByText("turn.admitted@1").waitFor({ state: "detached" });
    await page.getByText("turn.ended@1").click();
    await page.getByRole("link", { name: "Prove this event" }).waitFor();
    await page.getByRole("tab", { name: "Spent" }).click();
    await page.getByText("Nothing told yet").waitFor();
    expect(faults).toEqual([]);
  });

  provesInBrowser("WS-5", "hostile text in prompts, output, files and questions runs nothing", async () => {
    const { id } = await start(daemon, { cwd: await newFolder(), title: "Hostile" });
    for (const text of Object.values(HOSTILE_TEXTS)) {
      const line = text
        .slice(0, 300)
        .toWellFormed()
        .replaceAll(/[\n\0]/g, " ");
      await turn(daemon, id, `say ${line}\nwrite x.md ${line}`);
    }
    const line = HOSTILE_TEXTS["look-alike letters"] ?? "";
    await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: `ask ${line}\u202e` });
    await pendingOf(daemon, id);
    const { page, faults } = await openWindow(daemon, `/ui/session/${id}`);
    await page.getByRole("region", { name: "Open question" }).waitFor();
    for (let round = 0; round < 12; round += 1) {
      await page.evaluate("scrollTo({ top: 0 })");
      await page.waitForTimeout(100);
    }
    expect(await page.title()).toBe("(1) Hostile · Nomos");
    const seen = await page.locator("body").textContent();
    expect(seen).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/u);
    for (const control of ["\u0007", "\u001b"]) expect(seen).not.toContain(control);
    expect(await page.locator("main script, main iframe, main img, main a[href^='javascript']").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  inBrowser("on a phone: prompt, approve and scrub with the thumb; nothing is wider than the screen", async () => {
    const { id } = await start(daemon, {
      cwd: await newFolder(),
      prompt: "say hi\nrun echo wide wide wide\nask Go on?",
    });
    await pendingOf(daemon, id);
    const { page, faults } = await openWindow(daemon, `/ui/session/${id}`, PHONE);
    await page.getByRole("region", { name: "Open question" }).getByRole("button", { name: /Yes/ }).click();
    await talk(page).getByText("approved", { exact: true }).first().waitFor();
    await promptBox(page).fill("say from a phone");
    await page.getByRole("button", { name: "Send" }).click();
    await talk(page).getByText("from a phone", { exact: true }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await expectAccessible(page);
    expect(faults).toEqual([]);
  });
});

inBrowser("a message of 10 MB is shown in pieces, and the page stays usable", async () => {
  const { id } = expectOk(await daemon.call<Session>("POST", "/sessions/external", { pid: process.pid }), 201);
  const { turnId } = expectOk(
    await daemon.call<{ turnId: string }>("POST", `/sessions/${id}/turns`, { input: "say much" }),
    201,
  );
  const text = `# Much\n\n${"word ".repeat(2_000_000)}`;
  const said = await daemon.call("POST", `/sessions/${id}/turns/${turnId}/messages`, { text });
  expect({ status: said.status, text: said.text.slice(0, 200) }).toMatchObject({ status: 201 });
  const { page, faults } = await openWindow(daemon, `/ui/session/${id}`);
  await page.getByText("say much").first().waitFor();
  await page.getByRole("tab", { name: "Events" }).click();
  await page.getByText("turn.admitted@1").first().waitFor();
  expect(faults).toEqual([]);
  await daemon.call("DELETE", `/sessions/${id}`);
});
