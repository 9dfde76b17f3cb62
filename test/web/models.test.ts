import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PATIENCE } from "../e2e/support/talk.ts";
import { failing, type ModelServer, startModelServer } from "../engine/model-server/index.ts";
import { expectAccessible, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";

vi.setConfig(PATIENCE);
const inBrowser = test.skipIf(!needs("chromium"));
/** After so many failures in a row a provider is left alone for a while. */
const FAILURES = 5;

let daemon: TestDaemon;
let server: ModelServer;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
  server = await startModelServer();
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

inBrowser("a newcomer sees both ways to begin, adds a provider, tests it and makes it the default", async () => {
  const { page, faults } = await openWindow(daemon, "/ui/models");
  await page.getByRole("heading", { name: "Try it without a key" }).waitFor();
  await page.getByText("nomos model add anthropic --key env:ANTHROPIC_API_KEY").waitFor();
  await expectAccessible(page);
  const demo = page.getByRole("region", { name: "Provider demo" });
  await demo.getByRole("button", { name: "Test" }).click();
  await demo.getByText("demo/script answers in").waitFor();
  await demo.getByText(/first token after \d+ ms/).waitFor();
  await demo.getByRole("button", { name: "Make default" }).click();
  await page.getByText("Default: demo/script").waitFor();

  await page.getByText("never the key itself").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("acme");
  await page.getByLabel("API", { exact: true }).selectOption("openai-chat");
  await page.getByLabel("Base URL").fill(`${server.url}/v1`);
  await page.getByLabel("Model", { exact: true }).fill("swift");
  await page.getByLabel("Variable").fill("ACME_KEY_THAT_IS_NOT_SET");
  await page.getByText("Window, price and default").click();
  await page.getByLabel("Window in tokens").fill("64000");
  await page.getByLabel("Dollars per million tokens in").fill("2.5");
  await page.getByRole("button", { name: "Add the provider" }).click();
  const acme = page.getByRole("region", { name: "Provider acme" });
  await acme.getByText("key is missing").waitFor();
  const row = acme.getByRole("row", { name: /acme\/swift/ });
  expect(await row.textContent()).toContain("64.0k");
  expect(await row.textContent()).toContain("$2.50");
  await acme.getByRole("button", { name: "Test" }).click();
  await acme.getByText("does not work").waitFor();

  await acme.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove it" }).click();
  await acme.waitFor({ state: "detached" });
  expect(faults).toEqual([]);
});

inBrowser("a key in the form is refused and not repeated; the form keeps the rest", async () => {
  const { page } = await openWindow(daemon, "/ui/models");
  await page.getByLabel("Name", { exact: true }).fill("typo");
  await page.getByLabel("API", { exact: true }).selectOption("openai-chat");
  await page.getByLabel("Model", { exact: true }).fill("sk-ant-api03-abcdefghijklmnop");
  await page.getByLabel("Its key is in").selectOption("");
  await page.getByRole("button", { name: "Add the provider" }).click();
  const said = page.locator(".toast-error");
  await said.waitFor();
  expect(await said.textContent()).not.toContain("abcdefghijklmnop");
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("typo");
});

inBrowser(
  "a provider that fails is shown with the time of its next try; light, dark and phone are accessible",
  async () => {
    const given = { name: "flaky", api: "openai-chat", baseUrl: `${server.url}/v1`, model: "m" };
    expect((await daemon.call("POST", "/api/models", given)).status).toBe(201);
    server.decide(() => failing(503, { error: { message: "overloaded" } }));
    const asked = { adapter: "nomos", model: "flaky/m", prompt: "hello" };
    for (let at = 0; at < FAILURES; at += 1) await daemon.call("POST", "/sessions/agent", asked);
    for (const options of [{}, { colorScheme: "dark" }, PHONE] as const) {
      const { page } = await openWindow(daemon, "/ui/models", options);
      const failing = page.getByRole("list", { name: "Providers that fail" });
      await failing.getByText(/flaky failed \d+ times in a row/).waitFor();
      await failing.getByText(/tried again|tries it again/).waitFor();
      await expectAccessible(page);
      expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
    }
    server.decide(null);
  },
);
