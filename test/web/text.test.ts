import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOSTILE_TEXTS } from "../fixtures/hostile-texts.ts";
import { expectAccessible, openStranger, PHONE } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { serveTextPage, type TextPage } from "../support/text-page.ts";

const inBrowser = test.skipIf(!needs("chromium"));
const provesInBrowser = proves.skipIf(!needs("chromium"));

const KINDS = ["markdown", "code", "diff", "ansi", "safe"] as const;
type Kind = (typeof KINDS)[number] | "plots";

let served: TextPage;
beforeAll(async () => {
  served = await serveTextPage();
});
afterAll(() => served[Symbol.asyncDispose]());

/** Joiners and selectors stay inside of emoji and of some scripts' words. */
const NEVER =
  /(?!\t|\n|\u200c|\u200d|\ufe0f)[\p{Cc}\p{Cs}\p{Co}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u;

describe("a text that is meant to mislead", () => {
  for (const kind of KINDS)
    provesInBrowser("TX-1", `as ${kind}: runs nothing, loads nothing, and hides nothing`, async () => {
      const { page, faults } = await openText();
      for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
        await show(page, kind, kind === "diff" ? `--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+${text}\n` : text);
        if (kind !== "ansi" && kind !== "safe") await settled(page);
        const found = await page.evaluate(LOOK);
        expect(found, name).toMatchObject({ title: "safe", foreign: [], links: [] });
        expect(found.text, name).not.toMatch(NEVER);
        expect(found.text.length, name).toBeGreaterThan(0);
      }
      expect(faults).toEqual([]);
      expect(page.context().pages()).toHaveLength(1);
    });

  provesInBrowser("TX-2", "does not turn its neighbours around, nor leave its box", async () => {
    const { page } = await openText();
    for (const text of [
      "\u202eabc",
      "\u2067abc",
      "אבג 123",
      "\u202e\u202e\u202e",
      "z\u0301\u0301\u0301\u0301".repeat(30),
    ]) {
      await show(page, "safe", text);
      const [before, after] = await Promise.all(["#before", "#after"].map((id) => page.locator(id).boundingBox()));
      expect((before?.x ?? 0) < (after?.x ?? 0) || (before?.y ?? 0) < (after?.y ?? 0), text).toBe(true);
    }
  });

  provesInBrowser("TX-2", "a command to decide about has no end out of sight", async () => {
    const { page } = await openText();
    await show(page, "code", `ls -l${" ".repeat(2_000)}; rm -rf ~ ${"x".repeat(3_000)} end`);
    const box = page.locator(".code-text");
    expect(await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
    expect(await box.textContent()).toMatch(/; rm -rf ~ x+ end\s*$/);
  });

  provesInBrowser("TX-2", "is named: for eyes and for screen readers", async () => {
    const { page } = await openText();
    await show(page, "safe", "sudo b\u0430sh \u202e\u200b x");
    const boxes = await page.locator(".safe-box").allTextContents();
    expect(boxes).toEqual([
      "b\u0430sh, look-alike: mixes Latin and Cyrillic: Cyrillic \u0430 (U+0430) looks like a",
      "hidden character: U+202E right-to-left override, U+200B zero width space",
    ]);
    await expectAccessible(page);
  });
});

describe("Markdown and code", () => {
  const text = "# Title\n\n**bold** [here](https://example.com)\n\n```ts\nconst a = 1;\n```\n\n- [x] done\n";

  inBrowser("are parsed by the page's thread, under its policy", async () => {
    const { page, faults } = await openText();
    await show(page, "markdown", text);
    await page.locator(".md strong").waitFor();
    await page.locator(".md .hl-keyword", { hasText: "const" }).waitFor();
    const link = page.getByRole("link", { name: "here" });
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    expect(await link.getAttribute("target")).toBe("_blank");
    expect(faults).toEqual([]);
    await expectAccessible(page);
  });

  inBrowser("a text that grows stays parsed, and never loses a word", async () => {
    const { page } = await openText();
    const words = Array.from({ length: 100 }, (_, at) => `*word${at}*`);
    for (const count of [1, 10, 50, 51, 52, 100]) {
      await show(page, "markdown", words.slice(0, count).join(" "));
      const shown = await page.locator("#line").textContent();
      for (const word of words.slice(0, count)) expect(shown).toContain(word.replaceAll("*", ""));
    }
    await page.locator(".md em", { hasText: "word99" }).waitFor();
  });

  inBrowser("without the thread, the plain text is shown", async () => {
    const { page } = await openText({}, "text.js");
    await show(page, "markdown", text);
    await page.waitForTimeout(500);
    expect(await page.locator(".md strong").count()).toBe(0);
    expect(await page.locator("#line").textContent()).toContain("**bold** [here](https://example.com)");
    await show(page, "code", "const a = 1;");
    expect(await page.locator(".code-text").textContent()).toContain("const a = 1;");
  });

  provesInBrowser("TX-5", "ten megabytes are shown piece by piece, and the page still answers", async () => {
    const { page } = await openText();
    for (const kind of KINDS) {
      const line = kind === "diff" ? "+x" : "x";
      await page.evaluate(
        ([name, part]) =>
          (globalThis as unknown as Shown).show(
            name,
            `--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n${part.repeat(10_000_000 / part.length)}`,
          ),
        [kind, line] as const,
      );
      expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(3_000);
    }
    await show(page, "safe", "x".repeat(100_000));
    await page.getByRole("button", { name: /Show more/ }).click();
    expect((await page.locator(".safe-text").textContent())?.length).toBeGreaterThan(60_000);
  });
});

describe("a diff", () => {
  const context = Array.from({ length: 20 }, (_, at) => ` const line${at} = ${at};`).join("\n");
  const patch = `--- a/x.ts\n+++ b/x.ts\n@@ -1,22 +1,22 @@\n-const a = 1;\n+const b = 1;\n${context}\n-old\n+new\n\\ 7 more lines are not shown\n`;

  inBrowser("stands side by side where there is room, else in one column", async () => {
    const wide = await openText();
    await show(wide.page, "diff", patch);
    await wide.page.locator(".diff-sides").waitFor();
    await wide.page.locator(".diff .hl-keyword").first().waitFor();
    await expectAccessible(wide.page);
    const phone = await openText(PHONE);
    await show(phone.page, "diff", patch);
    await phone.page.locator(".diff-table").waitFor();
    expect(await phone.page.locator(".diff-sides").count()).toBe(0);
    expect(await phone.page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await expectAccessible(phone.page);
  });

  inBrowser("tells added and removed lines by words too, marks what differs, and opens what is folded", async () => {
    const { page } = await openText();
    await show(page, "diff", patch);
    expect(await page.locator(".diff-added mark").first().textContent()).toBe("b");
    const cells = await page.locator("td.diff-text").allTextContents();
    expect(cells).toContain("+added: const b = 1;");
    expect(cells).toContain("−removed: const a = 1;");
    await page.getByText("7 more lines are not here").waitFor();
    await page.getByRole("button", { name: "Show 14 unchanged lines" }).click();
    await page.getByText("const line10 = 10;").first().waitFor();
  });
});

describe("terminal output", () => {
  provesInBrowser("TX-3", "is readable whatever colours it asks for, in both themes", async () => {
    const codes = [
      "30",
      "31",
      "33",
      "37",
      "90",
      "97",
      "2",
      "2;33",
      "38;2;255;255;255",
      "38;2;0;0;0",
      "38;5;21",
      "38;5;226",
      "7",
    ];
    const grounds = ["49", "40", "41", "43", "44", "47", "48;2;255;255;255", "48;2;0;0;0", "48;5;21"];
    const text = codes
      .map((code) => grounds.map((ground) => `\u001b[${code};${ground}mtext\u001b[0m`).join(" "))
      .join("\n");
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await openText({ colorScheme });
      await show(page, "ansi", text);
      await expectAccessible(page);
    }
  });
});

inBrowser("plots have names and texts for screen readers", async () => {
  const { page } = await openText();
  await show(page, "plots", "");
  await page.getByRole("img", { name: "tokens: now 8, lowest 1, highest 8" }).waitFor();
  await page.getByRole("meter", { name: "disk" }).waitFor();
  await page.getByText("nearly full").waitFor();
  expect(await page.locator(".heat .plot-spoken li").allTextContents()).toEqual(["Mon 16: 15, most at 4:00 (9)"]);
  await expectAccessible(page);
});

interface Shown {
  readonly show: (kind: string, text: string) => void;
}

async function openText(options: BrowserContextOptions = {}, missing: string | null = null) {
  const window = await openStranger(served, options);
  if (missing !== null) await window.context.route(`**/assets/${missing}`, (route) => route.fulfill({ status: 404 }));
  await window.page.goto(served.url);
  await window.page.waitForFunction("globalThis.ready === true");
  return window;
}

async function show(page: Page, kind: Kind, text: string): Promise<void> {
  await page.evaluate(([name, content]) => (globalThis as unknown as Shown).show(name, content), [kind, text] as const);
}

/** Until the thread has answered, or had time to: a text that stays plain gives no sign. */
async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(40);
}

/** What the page shows, and elements or addresses that a text must not have made. */
const LOOK = `(() => {
  const line = document.getElementById("line");
  const made = [...line.querySelectorAll("*")];
  return {
    title: document.title,
    text: line.innerText,
    foreign: made.map((element) => element.localName).filter((name) => /^(script|img|iframe|object|embed|form|input|style|link|base|meta|video|audio)$/.test(name)),
    links: made.flatMap((element) => element.getAttribute("href") ?? []).filter((href) => !/^(https?:\\/\\/|mailto:)/.test(href)),
  };
})()` as unknown as () => {
  readonly title: string;
  readonly text: string;
  readonly foreign: readonly string[];
  readonly links: readonly string[];
};
