import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { expectOk, PATIENCE, type Session } from "../e2e/support/talk.ts";
import { expectAccessible, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { type GovernedBench, setUpGoverned, ticket } from "../support/governed-bench.ts";
import { needs } from "../support/needs.ts";

vi.setConfig(PATIENCE);
const inBrowser = test.skipIf(!needs("chromium") || !needs("bwrap"));
const ID = "TKT-20260101-000000-AAAA";

let daemon: TestDaemon;
let bench: GovernedBench;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
  bench = await setUpGoverned();
  bench.tickets(ticket(ID, { fileBudget: { files: 4, lines: 100 } }));
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  bench[Symbol.dispose]();
});

const place = (): string => `/ui/drift?${new URLSearchParams({ cwd: bench.repo })}`;

inBrowser(
  "without work the page says what is measured; then a session's drift is shown live, with its files",
  async () => {
    const { page, faults } = await openWindow(daemon, place());
    await page.getByRole("heading", { name: "No work was measured yet" }).waitFor();
    await expectAccessible(page);
    const order = { adapter: "demo", cwd: bench.repo, ticket: ID, prompt: "write src/a.ts 1", title: "Write <b>a</b>" };
    const session = expectOk(await daemon.call<Session>("POST", "/sessions/agent", order), 201);
    expectOk(await daemon.call("GET", `/sessions/${session.id}/wait`));
    const list = page.getByRole("list", { name: "Sessions on tickets" });
    await list.getByRole("link", { name: "Write <b>a</b>" }).waitFor();
    await list.getByRole("button", { name: "Measure now" }).click();
    const live = list.getByRole("region", { name: "As the files are now" });
    await live.getByText("src/a.ts").waitFor();
    await live.getByText("in scope", { exact: true }).waitFor();
    await live.getByText("file budget 25 %").waitFor();
    await expectAccessible(page);
    expect(await page.locator("#main b").count()).toBe(0);
    expect(faults).toEqual([]);
  },
);

for (const [name, options] of [
  ["dark", { colorScheme: "dark" }],
  ["phone", PHONE],
] as const)
  inBrowser(`drift is accessible and fits: ${name}`, async () => {
    const { page } = await openWindow(daemon, place(), options);
    await page.getByRole("region", { name: "All sessions" }).waitFor();
    await page.getByRole("button", { name: "Measure now" }).click();
    await page.getByRole("region", { name: "As the files are now" }).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
  });
