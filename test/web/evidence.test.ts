import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { expectOk, PATIENCE, type Session } from "../e2e/support/talk.ts";
import { expectAccessible, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { type GovernedBench, setUpGoverned, ticket } from "../support/governed-bench.ts";
import { needs } from "../support/needs.ts";

vi.setConfig(PATIENCE);
const inBrowser = test.skipIf(!needs("chromium") || !needs("bwrap"));
const [DONE, OPEN] = ["TKT-20260101-000000-AAAA", "TKT-20260101-000000-BBBB"];

let daemon: TestDaemon;
let bench: GovernedBench;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
  bench = await setUpGoverned();
  const acceptance = [
    { id: "ACC-1", text: "It is <b>there</b>", check: ["test", "-f", "src/a.ts"] },
    { id: "ACC-2", text: "Somebody looked at it" },
  ];
  const checks = [["test", "-s", "src/a.ts"]];
  bench.tickets(ticket(DONE, { checks, acceptance }), ticket(OPEN, { checks, acceptance }));
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  bench[Symbol.dispose]();
});

const place = (): string => `/ui/evidence?${new URLSearchParams({ cwd: bench.repo })}`;

inBrowser(
  "a ticket lacks proof until its work has landed and a witness is named; then each link leads to it",
  async () => {
    const order = { adapter: "demo", cwd: bench.repo, ticket: DONE, prompt: "write src/a.ts 1", title: "Write a" };
    const session = expectOk(await daemon.call<Session>("POST", "/sessions/agent", order), 201);
    expectOk(await daemon.call("GET", `/sessions/${session.id}/wait`));
    const { page, faults } = await openWindow(daemon, place());
    const begun = page.getByRole("region", { name: "At work, or waiting for proof" });
    await begun.getByRole("list", { name: "What is missing" }).waitFor();
    await expectAccessible(page);
    const landed = await daemon.call<{ state: string }>("POST", `/sessions/${session.id}/land`, { waitMs: 60_000 });
    expect(expectOk(landed).state).toBe("landed");
    await begun.getByText("a witness of the criterion ACC-2").waitFor();
    const finish = { summary: "It is written.", status: "review" };
    expectOk(await daemon.call("POST", `/sessions/${session.id}/finish`, finish));
    const { body } = await daemon.call<{ events: { id: string }[] }>("GET", `/sessions/${session.id}/events?limit=50`);
    const witnesses = { "ACC-2": body.events.at(-1)?.id ?? "" };
    expectOk(await daemon.call("POST", `/api/tickets/${DONE}/close`, { cwd: bench.repo, witnesses }));
    const done = page.getByRole("region", { name: "Closed on proof" });
    await done.getByText("proven", { exact: true }).waitFor();
    await done.getByText("test -f src/a.ts").first().waitFor();
    await done.getByText("It is <b>there</b>").waitFor();
    expect(await page.locator("#main b").count()).toBe(0);
    await expectAccessible(page);
    await done.getByRole("link", { name: "its witness" }).waitFor();
    await done.getByRole("link", { name: "the landing", exact: true }).waitFor();
    await done.getByRole("link", { name: "Proof of the landing" }).click();
    await page.waitForURL("**/ui/audit/event/*");
    expect(faults).toEqual([]);
  },
);

inBrowser("evidence that was changed in git after the log recorded it is told", async () => {
  const ref = `refs/nomos/evidence/${DONE}`;
  const before = bench.git(bench.repo, "rev-parse", ref);
  const tree = bench.git(bench.repo, "rev-parse", `${before}^{tree}`);
  const message = bench.git(bench.repo, "log", "-1", "--format=%B", ref);
  const forged = bench.git(bench.repo, "commit-tree", tree, "-m", `${message}\n`);
  bench.git(bench.repo, "update-ref", ref, forged);
  const { page } = await openWindow(daemon, place());
  await page.getByText("changed since").waitFor();
  bench.git(bench.repo, "update-ref", ref, before);
});

for (const [name, options] of [
  ["dark", { colorScheme: "dark" }],
  ["phone", PHONE],
] as const)
  inBrowser(`evidence is accessible and fits: ${name}`, async () => {
    const { page } = await openWindow(daemon, place(), options);
    await page.getByRole("region", { name: "Not begun" }).getByRole("button", { name: "Show" }).click();
    await page.getByText("unproven", { exact: true }).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
  });
