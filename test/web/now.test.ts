import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { approvalsOf, eventually, newFolder, type Session, show, start, turn } from "../e2e/support/talk.ts";
import { HOSTILE_TEXTS } from "../fixtures/hostile-texts.ts";
import { expectAccessible, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";

const inBrowser = test.skipIf(!needs("chromium"));
const provesInBrowser = proves.skipIf(!needs("chromium"));
/** A key answers only what was on the screen for a moment. */
const UNREAD_MS = 700;

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const rowOf = (page: Page, title: string) => page.locator(".now-row", { hasText: title });

async function asking(question: string, title = question, on = daemon): Promise<Session> {
  const session = await start(on, { cwd: await newFolder(), title, prompt: `ask ${question}` });
  await eventually("the question", async () => (await show(on, session.id)).waitingFor === "approval");
  return session;
}

describe("the board", () => {
  provesInBrowser(
    "WB-1",
    "a session appears, works, says what it does, idles and is forgotten, by itself",
    async () => {
      const { page, faults } = await openWindow(daemon);
      const { id } = await start(daemon, {
        cwd: await newFolder(),
        title: "Watched work",
        prompt: "run sleep 1\nsay finished it",
      });
      await rowOf(page, "Watched work").getByText("run sleep 1").waitFor();
      await rowOf(page, "Watched work").getByText("working").waitFor();
      await rowOf(page, "Watched work").getByText("finished it").waitFor();
      await rowOf(page, "Watched work").getByText("idle").waitFor();
      await daemon.call("DELETE", `/sessions/${id}`);
      await rowOf(page, "Watched work").waitFor({ state: "detached" });
      expect(faults).toEqual([]);
    },
  );

  inBrowser("filter, states and groups show a part of it; select and kill several at once", async () => {
    const cwd = await newFolder();
    const made = await Promise.all(
      ["Alpha one", "Alpha two", "Beta"].map((title) => start(daemon, { cwd, title, prompt: "run sleep 60" })),
    );
    const { page } = await openWindow(daemon);
    await page.getByLabel("Filter the sessions").fill("alpha");
    await rowOf(page, "Alpha one").waitFor();
    await rowOf(page, "Beta").waitFor({ state: "detached" });
    await page.getByLabel("Group").selectOption("agent");
    await page.locator(".now-heading", { hasText: "demo" }).waitFor();
    for (const title of ["Alpha one", "Alpha two"]) await rowOf(page, title).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Kill" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Kill" }).click();
    await page.getByText("2 of 2 sessions killed").waitFor();
    await page.getByRole("button", { name: /ended/ }).click();
    await rowOf(page, "Alpha one").waitFor();
    expect((await show(daemon, made[2]?.id ?? "")).state).toBe("busy");
    for (const { id } of made) await daemon.call("DELETE", `/sessions/${id}`);
  });

  provesInBrowser(
    "WB-2",
    "a killed daemon is said at once, and after its return each session is there once",
    async () => {
      const own = await startDaemon({ outlivesTest: true });
      const port = Number(new URL(own.url).port);
      for (const title of ["First", "Second", "Third"])
        await start(own, { cwd: await newFolder(), title, prompt: "say x" });
      const { page } = await openWindow(own);
      await rowOf(page, "Third").waitFor();
      await own.kill9();
      await page.getByText("The daemon does not answer").waitFor();
      await rowOf(page, "Second").waitFor();
      const again = await startDaemon({ home: own.home, args: ["--port", String(port)], outlivesTest: true });
      await start(again, { cwd: await newFolder(), title: "Fourth", prompt: "say y" });
      await page.getByText("The daemon does not answer").waitFor({ state: "hidden" });
      await rowOf(page, "Fourth").waitFor();
      for (const title of ["First", "Second", "Third", "Fourth"]) expect(await rowOf(page, title).count()).toBe(1);
      await again[Symbol.asyncDispose]();
    },
  );

  provesInBrowser("WB-3", "two tabs share one stream, and both are live", async () => {
    const { page, context } = await openWindow(daemon);
    const other = await context.newPage();
    await other.goto(`${daemon.url}/ui/now`);
    await other.locator(".shell").waitFor();
    const { id } = await start(daemon, { cwd: await newFolder(), title: "Seen twice", prompt: "say x" });
    await Promise.all([page, other].map((one) => rowOf(one, "Seen twice").waitFor()));
    const metrics = await daemon.call("GET", "/metrics");
    expect(/nomos_connections\{[^}]*sse[^}]*\} (\d+)/.exec(metrics.text)?.[1]).toBe("1");
    await daemon.call("DELETE", `/sessions/${id}`);
  });
});

describe("questions", () => {
  provesInBrowser("WB-4", "a key answers the question that was read, not one that has just come up", async () => {
    const { page } = await openWindow(daemon);
    const { id } = await asking("Shall I go on?");
    await page.getByRole("article", { name: "Question: Shall I go on?" }).waitFor();
    await page.keyboard.press("y");
    expect((await approvalsOf(daemon, id))[0]?.status).toBe("pending");
    await page.waitForTimeout(UNREAD_MS);
    await page.keyboard.press("y");
    await page.getByText("Answered: yes").waitFor();
    expect((await approvalsOf(daemon, id))[0]?.status).toBe("approved");
  });

  inBrowser("no, with a reason, by keyboard alone; the agent is told", async () => {
    const { page } = await openWindow(daemon);
    const { id } = await asking("May I delete it?");
    await page.getByRole("article", { name: "Question: May I delete it?" }).waitFor();
    await page.waitForTimeout(UNREAD_MS);
    await page.keyboard.press("x");
    await page.keyboard.type("it is still needed");
    await page.keyboard.press("Enter");
    await page.getByText("Answered: no").waitFor();
    expect((await approvalsOf(daemon, id))[0]?.status).toBe("rejected");
    const { text } = await daemon.call("GET", `/sessions/${id}/events?types=approval.answered`);
    expect(text).toContain("it is still needed");
  });

  provesInBrowser("WB-4", "two people answer one question: one answer counts, and the other is told", async () => {
    const mine = await openWindow(daemon);
    const theirs = await openWindow(daemon);
    const { id } = await asking("Who decides?");
    const [one, other] = [mine, theirs].map(({ page }) =>
      page.getByRole("article", { name: "Question: Who decides?" }),
    );
    await Promise.all([one?.waitFor(), other?.waitFor()]);
    await Promise.all([
      one?.getByRole("button", { name: /Yes/ }).click(),
      other?.getByRole("button", { name: /Yes/ }).click(),
    ]);
    await Promise.all([one?.waitFor({ state: "detached" }), other?.waitFor({ state: "detached" })]);
    expect((await approvalsOf(daemon, id)).map(({ status }) => status)).toEqual(["approved"]);
  });

  inBrowser("many questions: the first are shown, the number of all is said", async () => {
    const own = await startDaemon({ outlivesTest: true });
    for (let at = 0; at < 30; at += 1) await asking(`Question ${at}?`, `Asker ${at}`, own);
    const { page } = await openWindow(own);
    await page.getByRole("heading", { name: "30 questions for you" }).waitFor();
    expect(await page.getByRole("article").count()).toBe(20);
    await page.getByText("10 more come up").waitFor();
    await page.getByRole("article").first().getByRole("button", { name: /Yes/ }).click();
    await page.getByRole("heading", { name: "29 questions for you" }).waitFor();
    expect(await page.title()).toContain("(29)");
    await own[Symbol.asyncDispose]();
  });
});

describe("bad input", () => {
  provesInBrowser(
    "WB-5",
    "hostile text in title, agent output and question runs nothing and misleads nobody",
    async () => {
      const own = await startDaemon({ outlivesTest: true });
      for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
        const line = text
          .slice(0, 150)
          .toWellFormed()
          .replaceAll(/[\n\0]/g, " ");
        if (line.trim() === "") continue;
        await start(own, {
          title: line,
          prompt: `say ${line}
ask ${line}`,
        }).catch((thrown) => {
          throw new Error(`${name}: ${thrown}`);
        });
      }
      const { page, faults } = await openWindow(own);
      await page.getByRole("article").first().waitFor();
      await page.waitForTimeout(300);
      const shown = await page.locator("body").textContent();
      expect(shown).not.toMatch(/(?!\t|\n)[\p{Cc}\p{Bidi_Control}\u200b]/u);
      expect(await page.locator("#main script, #main img, #main iframe").count()).toBe(0);
      expect(faults).toEqual([]);
      await own[Symbol.asyncDispose]();
    },
  );

  inBrowser("a browser without shared workers, streams and storage still works, and says so", async () => {
    const { page } = await openWindow(daemon, "/ui/now", {});
    await page.addInitScript(() => {
      Reflect.deleteProperty(globalThis, "SharedWorker");
      Object.defineProperty(Response.prototype, "body", { get: () => null });
      Object.defineProperty(globalThis, "localStorage", {
        get: () => {
          throw new Error("no storage");
        },
      });
    });
    const { body } = await daemon.call<{ url: string }>("POST", "/api/dashboard/links", {});
    await page.goto("about:blank");
    await page.goto(body.url);
    await page.getByText("This browser gives no live stream").waitFor();
    const { id } = await start(daemon, { cwd: await newFolder(), title: "Polled work", prompt: "say x" });
    await rowOf(page, "Polled work").waitFor();
    await daemon.call("DELETE", `/sessions/${id}`);
  });

  inBrowser("a browser whose clock is a day wrong shows ages by the daemon's clock", async () => {
    const { id } = await start(daemon, { cwd: await newFolder(), title: "Just begun", prompt: "say x" });
    const { page } = await openWindow(daemon);
    await page.addInitScript(() => {
      const { now } = Date;
      Date.now = () => now() + 86_400_000;
      Reflect.deleteProperty(globalThis, "SharedWorker");
    });
    await page.reload();
    await rowOf(page, "Just begun").locator("time").waitFor();
    await eventually("a small age", async () =>
      /^\d+ s$/.test(String(await rowOf(page, "Just begun").locator("time").textContent())),
    );
    await daemon.call("DELETE", `/sessions/${id}`);
  });
});

describe("the frame", () => {
  inBrowser("keyboard alone: palette, help, search, pages, theme, start a session", async () => {
    const { page, faults } = await openWindow(daemon);
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("t");
    await page.keyboard.press("t");
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    await page.keyboard.press("/");
    expect(await page.locator(":focus").getAttribute("aria-label")).toBe("Filter the sessions");
    await page.keyboard.press("Escape");
    await page.locator(":focus").blur();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /Type a page/ }).fill("start a");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/ui/start");
    await page.getByRole("button", { name: "Start with demo" }).waitFor();
    await page.getByLabel("The task").fill("say typed by hand");
    await page.keyboard.press("Control+Enter");
    await page.waitForURL("**/ui/session/*");
    const id = page.url().split("/").at(-1) ?? "";
    await eventually("it ran", async () => (await show(daemon, id)).state === "idle");
    await page.keyboard.press("g");
    await page.keyboard.press("n");
    await page.waitForURL("**/ui/now");
    expect(faults).toEqual([]);
    await daemon.call("DELETE", `/sessions/${id}`);
  });

  inBrowser("a question is told as a notice while the page is hidden, once for all tabs", async () => {
    const { page, context, faults } = await openWindow(daemon);
    await context.grantPermissions(["notifications"], { origin: daemon.url });
    await page.addInitScript(() => {
      Reflect.defineProperty(Reflect.get(globalThis, "document"), "visibilityState", { get: () => "hidden" });
    });
    await page.reload();
    const other = await context.newPage();
    await other.addInitScript(() => {
      Reflect.defineProperty(Reflect.get(globalThis, "document"), "visibilityState", { get: () => "hidden" });
    });
    await other.goto(`${daemon.url}/ui/start`);
    await other.getByLabel("The task").waitFor();
    const { id } = await asking("Are you there?");
    const told =
      "navigator.serviceWorker.getRegistrations().then((all) => all[0]?.getNotifications() ?? []).then((all) => all.map((one) => one.body))";
    await eventually("the notice", async () => JSON.stringify(await page.evaluate(told)).includes("Are you there?"));
    await page.waitForTimeout(300);
    expect(await page.evaluate(told)).toEqual(["Are you there?"]);
    expect(faults).toEqual([]);
    await daemon.call("DELETE", `/sessions/${id}`);
  });

  inBrowser("the first-run tour starts the demo agent and does not come back", async () => {
    const own = await startDaemon({ outlivesTest: true });
    const { page } = await openWindow(own);
    await page.getByRole("button", { name: "Try it with the demo agent" }).click();
    await page.waitForURL("**/ui/session/*");
    await page.goto(`${own.url}/ui/now`);
    await page.getByRole("article", { name: /hello\.txt/ }).waitFor();
    expect(await page.getByText("Welcome").count()).toBe(0);
    await own[Symbol.asyncDispose]();
  });

  for (const [name, options] of [
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["phone", PHONE],
  ] as const)
    inBrowser(`Now and Start are accessible: ${name}`, async () => {
      const made = await asking(`Is this ${name} enough?`);
      await turn(daemon, (await start(daemon, { cwd: await newFolder(), title: "Idle one" })).id, "say x");
      const { page } = await openWindow(daemon, "/ui/now", options);
      await page.getByRole("article").first().waitFor();
      await expectAccessible(page);
      await page.goto(`${daemon.url}/ui/start`);
      await page.getByLabel("Agent").waitFor();
      await expectAccessible(page);
      await daemon.call("DELETE", `/sessions/${made.id}`);
    });
});
