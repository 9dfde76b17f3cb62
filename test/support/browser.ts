import { createRequire } from "node:module";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import type { TestDaemon } from "./daemon.ts";
import { isInTest, whenTestEnds } from "./test-end.ts";

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

const ARGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];
const WAIT_MAX_MS = 20_000;

let launched: Promise<Browser> | undefined;

/** Debian's Chromium, one process for all tests of a file. */
function browser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: process.env["NOMOS_TEST_CHROMIUM"] ?? "/usr/bin/chromium",
    args: ARGS,
  });
  return launched;
}

afterAll(async () => {
  await (await launched)?.close();
  launched = undefined;
});

export interface Window extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong in the page: errors, refusals of its policy, requests to anywhere else. */
  readonly faults: readonly string[];
}

/** A new browser profile, closed with the test or, opened in `beforeAll`, by the caller, that is signed in by a one-time link. */
export async function openWindow(
  daemon: Pick<TestDaemon, "call" | "url">,
  path = "/ui/now",
  options: BrowserContextOptions = {},
): Promise<Window> {
  const window = await openStranger(daemon, options);
  const { body } = await daemon.call<{ url: string }>("POST", "/api/dashboard/links", {});
  await window.page.goto(body.url.replace("/#link", `${path}#link`));
  await window.page.locator(".shell").waitFor();
  return window;
}

/** A new browser profile that nobody signed in. */
export async function openStranger(
  daemon: Pick<TestDaemon, "url">,
  options: BrowserContextOptions = {},
): Promise<Window> {
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(WAIT_MAX_MS);
  const faults: string[] = [];
  context.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(daemon.url) && !/^(?:data|blob):/.test(url)) faults.push(`a request to ${url}`);
  });
  context.on("weberror", (error) => faults.push(String(error.error())));
  context.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !/Failed to load resource|net::ERR_/.test(text)) faults.push(text);
  });
  const page = await context.newPage();
  const dispose = (): Promise<void> => context.close();
  if (isInTest()) whenTestEnds(dispose);
  return { page, context, faults, [Symbol.asyncDispose]: dispose };
}

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Expects that axe finds nothing against WCAG 2.2 AA on the page as it is now. */
export async function expectAccessible(page: Page): Promise<void> {
  // Through the debugger: the page's policy allows no foreign script.
  const session = await page.context().newCDPSession(page);
  const { readFile } = await import("node:fs/promises");
  await session.send("Runtime.evaluate", { expression: await readFile(AXE, "utf8") });
  const expression = `axe.run(document, { runOnly: ${JSON.stringify(WCAG)} }).then((found) => found.violations)`;
  const { result } = await session.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  await session.detach();
  const violations: readonly Violation[] = result.value;
  const said = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" | ")}`);
  expect(said).toEqual([]);
}
