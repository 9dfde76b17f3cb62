import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { newFolder, PATIENCE, start, turn } from "../e2e/support/talk.ts";
import { expectAccessible, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";

vi.setConfig(PATIENCE);
const inBrowser = test.skipIf(!needs("chromium"));
const SERVER = join(import.meta.dirname, "../fixtures/mcp-servers/everyday.ts");

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

inBrowser("a person adds an MCP server, tests it, sees its tools in a session, and removes it", async () => {
  const { page, faults } = await openWindow(daemon, "/ui/tools");
  await page.getByText("No MCP server yet").waitFor();
  await page.getByText("nomos mcp-server add --settings").first().waitFor();
  await page.getByLabel("Name", { exact: true }).fill("everyday");
  await page.getByLabel("Program and arguments").fill(`${process.execPath}\n${SERVER}`);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Add the server" }).click();
  const server = page.getByRole("region", { name: "Server everyday" });
  await server.getByRole("button", { name: "Test" }).click();
  await server.getByText("works", { exact: true }).waitFor();
  await server.getByRole("listitem").first().waitFor();

  const { id } = await start(daemon, { adapter: "nomos", model: "demo/script", cwd: await newFolder() });
  const session = await openWindow(daemon, `/ui/session/${id}?tab=tools`);
  await session.page.getByText("mcp__everyday__").first().waitFor();
  await expectAccessible(session.page);

  await server.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove it" }).click();
  await server.waitFor({ state: "detached" });
  expect([...faults, ...session.faults]).toEqual([]);
});

inBrowser("a replay of a session says that it is the same, and what another model would do", async () => {
  const { id } = await start(daemon, { adapter: "nomos", model: "demo/script", cwd: await newFolder() });
  await turn(daemon, id, "say hello\nwrite a.txt hi\nsay done");
  const { page, faults } = await openWindow(daemon, `/ui/session/${id}?tab=replay`, PHONE);
  await page.getByRole("button", { name: "Replay", exact: true }).click();
  await page.getByText("the same", { exact: true }).waitFor();
  await page.getByLabel("Compare with a model").selectOption("demo/script");
  await page.getByRole("button", { name: "Replay", exact: true }).click();
  await page.getByText("With demo/script").waitFor();
  await expectAccessible(page);
  expect(faults).toEqual([]);
});
