import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect } from "vitest";
import { ask } from "../e2e/support/browser.ts";
import { eventually } from "../e2e/support/talk.ts";
import { openWindow } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { whenTestEnds } from "../support/test-end.ts";

/** What a real browser does with a sign-in, and what a server on another port of this host gets of it. */
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** As an agent would start one: it notes the cookies it is sent. */
async function startDevServer(html: string) {
  const cookies: string[] = [];
  const server = createServer((asked, answer) => {
    if (asked.headers.cookie !== undefined) cookies.push(asked.headers.cookie);
    answer.writeHead(200, { "content-type": "text/html" }).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenTestEnds(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, cookies };
}

const provesInBrowser = proves.skipIf(!needs("chromium"));
const STORED = "JSON.stringify({ ...localStorage, ...sessionStorage })";

provesInBrowser("DB-2", "a browser signed in: no script reads its cookie, and the address holds no link", async () => {
  const { page, context, faults } = await openWindow(daemon);
  const [cookie] = await context.cookies(daemon.url);
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
  expect(await page.evaluate("document.cookie")).toBe("");
  const stored = await page.evaluate(STORED);
  expect(stored).toContain("nmp_");
  expect(stored).not.toContain(cookie?.value);
  expect(page.url()).not.toContain("link");
  await page.reload();
  await page.locator(".shell").waitFor();
  expect(faults).toEqual([]);
});

provesInBrowser(
  "DB-4",
  "a signed-in browser opens another link: its sign-in stays, and so do its other tabs",
  async () => {
    const { page, context } = await openWindow(daemon);
    const [before] = await context.cookies(daemon.url);
    const { body } = await daemon.call<{ url: string }>("POST", "/api/dashboard/links", {});
    const second = await context.newPage();
    await second.goto(body.url);
    await second.locator(".shell").waitFor();
    expect((await context.cookies(daemon.url))[0]?.value).toBe(before?.value);
    await page.reload();
    await page.locator(".shell").waitFor();
  },
);

provesInBrowser("DB-4", "a browser whose token was revoked is let in by the next link", async () => {
  const { page } = await openWindow(daemon);
  const { body } = await daemon.call<{ tokens: { tokenId: string }[] }>("GET", "/api/tokens");
  for (const { tokenId } of body.tokens) await daemon.call("DELETE", `/api/tokens/${tokenId}`);
  const link = await daemon.call<{ url: string }>("POST", "/api/dashboard/links", {});
  await page.goto(link.body.url);
  await page.locator(".shell").waitFor();
  expect(await page.getByText("This browser is not signed in").count()).toBe(0);
});

provesInBrowser("DB-2", "a dev server on another port is sent the cookie, and gets in with it nowhere", async () => {
  const { page, context } = await openWindow(daemon);
  const [ours] = await context.cookies(daemon.url);
  const tokens = async () => (await daemon.call<{ tokens: object[] }>("GET", "/api/tokens")).body.tokens.length;
  const before = await tokens();
  const evil = await startDevServer("<title>dev</title>");
  const dev = await context.newPage();
  await dev.goto(evil.url);
  const cookie = await eventually("its cookie", async () => evil.cookies.at(-1));
  expect(cookie).toContain(ours?.value);
  expect((await ask(daemon, "/api/status", { headers: { cookie } })).code).toBe("unauthorized");
  expect(await dev.evaluate(STORED)).toBe("{}");
  const tried = (path: string, init: object) => {
    const args = [`${daemon.url}${path}`, { credentials: "include", ...init }].map((one) => JSON.stringify(one));
    return dev.evaluate(`fetch(${args.join()}).then(({ type }) => type, () => "refused")`);
  };
  const asked = { method: "POST", headers: { "content-type": "application/json" }, body: '{"capabilities":["*"]}' };
  expect(await tried("/api/status", {})).toBe("refused");
  expect(await tried("/api/tokens", asked)).toBe("refused");
  expect(await tried("/api/tokens", { ...asked, headers: {}, mode: "no-cors" })).toBe("opaque");
  expect(await tokens()).toBe(before);
  await page.reload();
  await page.locator(".shell").waitFor();
});

provesInBrowser("DB-6", "another page cannot frame the dashboard, nor hold on to its window", async () => {
  const { context } = await openWindow(daemon);
  const evil = await startDevServer(`<iframe src="${daemon.url}/ui/now"></iframe>`);
  const dev = await context.newPage();
  await dev.goto(evil.url);
  await expect.poll(() => dev.frames()[1]?.url()).toMatch(/^chrome-error:/);
  const opened = context.waitForEvent("page");
  await dev.evaluate(`void (window.held = window.open(${JSON.stringify(`${daemon.url}/ui/now`)}))`);
  await (await opened).locator(".shell").waitFor();
  expect(await dev.evaluate("window.held.closed")).toBe(true);
});

/** Each sets `window.ran` where nothing forbids it. */
const ATTEMPTS: readonly string[] = [
  "document.body.insertAdjacentHTML('beforeend', '<img src=x: onerror=\"window.ran = true\">')",
  "document.write('<script>window.ran = true</script>')",
  "const s = document.createElement('script'); s.textContent = 'window.ran = true'; document.body.append(s)",
  "const s = document.createElement('script'); s.src = 'data:text/javascript,window.ran=true'; document.body.append(s)",
  "const i = document.createElement('img'); i.setAttribute('onerror', 'window.ran = true'); i.src = 'x:'; document.body.append(i)",
  "const a = document.createElement('a'); a.href = 'javascript:void(window.ran = true)'; document.body.append(a); a.click()",
  "setTimeout('window.ran = true')",
];

const inPage = (attempt: string): string => `new Promise((resolve) => {
  try { (() => { ${attempt} })(); } catch { /* refused */ }
  setTimeout(() => resolve(window.ran === true ? "ran" : "not run"), 100);
})`;

provesInBrowser("DB-6", "markup and scripts that get into the page are not run", async () => {
  const { page, context } = await openWindow(daemon);
  const plain = await context.newPage();
  const open = await startDevServer("<!doctype html><body></body>");
  for (const attempt of ATTEMPTS) {
    await plain.goto(open.url);
    expect([attempt, await plain.evaluate(inPage(attempt))]).toEqual([attempt, "ran"]);
    expect([attempt, await page.evaluate(inPage(attempt))]).toEqual([attempt, "not run"]);
  }
});
