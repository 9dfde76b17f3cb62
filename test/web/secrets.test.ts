import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { expectOk, newFolder, PATIENCE, start, turn } from "../e2e/support/talk.ts";
import { expectAccessible, openStranger, openWindow, PHONE } from "../support/browser.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";

vi.setConfig(PATIENCE);
const inBrowser = test.skipIf(!needs("chromium"));
const provesInBrowser = proves.skipIf(!needs("chromium"));
/** A test that is tried again finds what its first try has left. */
const newName = (name: string): string => `${name}_${randomBytes(3).toString("hex")}`;
const newValue = (): string => `canary-${randomBytes(18).toString("base64url")}`;

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const card = (page: Page, name: string) =>
  page.getByRole("list", { name: "Secrets" }).getByRole("listitem", { name: `Secret ${name}` });
const fingerprintIn = async (page: Page, name: string): Promise<string> =>
  (await card(page, name).locator("dd code").first().textContent()) ?? "";

async function fill(page: Page, name: string, value: string): Promise<void> {
  const form = page.locator(".secrets-set");
  if ((await form.getAttribute("open")) === null) await form.locator("summary").click();
  await form.getByLabel("Name").fill(name);
  await form.getByLabel("Value").fill(value);
  await form.getByRole("button", { name: "Seal it" }).click();
}

provesInBrowser(
  "DB-8",
  "a value that is set or rotated is in no address, no storage, no text and no message of the page",
  async () => {
    const { page, faults, context } = await openWindow(daemon, "/ui/secrets");
    const [urls, said]: [string[], string[]] = [[], []];
    context.on("request", (request) => urls.push(request.url()));
    context.on("console", (message) => said.push(message.text()));
    const values = [newValue(), `${newValue()}\nsecond line of it\n${newValue()}`, newValue()];
    const [first = "", lines = "", next = ""] = values;
    const [KEY, PEM] = [newName("FIRST_KEY"), newName("PEM_KEY")];
    await fill(page, KEY, first);
    await card(page, KEY).waitFor();
    await fill(page, PEM, lines);
    await card(page, PEM).getByText(`${lines.length} B`).waitFor();
    const before = await fingerprintIn(page, KEY);
    await card(page, KEY).getByRole("button", { name: "Rotate" }).click();
    await page.getByLabel(`New value of ${KEY}`).fill(next);
    await page.getByRole("button", { name: "Replace the value" }).click();
    await page.getByText(`Rotated ${KEY}`).waitFor();
    await page.getByText(before, { exact: true }).waitFor({ state: "detached" });

    const held = await page.evaluate(
      "JSON.stringify([document.documentElement.outerHTML, [...document.querySelectorAll('input,textarea')].map((one) => one.value), localStorage, sessionStorage, location.href, history.state, document.cookie])",
    );
    const everything = `${held}\n${urls.join("\n")}\n${said.join("\n")}`;
    for (const value of values.flatMap((one) => one.split("\n"))) expect(everything).not.toContain(value);

    await page.goBack().catch(() => null);
    await page.goto(`${daemon.url}/ui/secrets`);
    await card(page, KEY).waitFor();
    expect(await page.evaluate("[...document.querySelectorAll('textarea')].map((one) => one.value).join('')")).toBe("");
    expect(faults).toEqual([]);
  },
);

inBrowser("one value under two names is seen, a bad value is refused, and a removal is asked for", async () => {
  const { page } = await openWindow(daemon, "/ui/secrets");
  const value = newValue();
  const [ONE, OTHER] = [newName("ONE"), newName("OTHER")];
  await fill(page, ONE, value);
  await card(page, ONE).waitFor();
  await fill(page, OTHER, value);
  await card(page, OTHER).getByText(`The same value as ${ONE} (home, operator).`).waitFor();
  await card(page, ONE).getByText(`The same value as ${OTHER}`).waitFor();
  expect(await fingerprintIn(page, ONE)).toBe(await fingerprintIn(page, OTHER));

  await fill(page, "WEAK", "password123");
  const refused = page.locator(".toast-error");
  await refused.getByText("The value of WEAK is refused").waitFor();
  expect(await refused.textContent()).not.toContain("password123");

  await card(page, OTHER).getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await card(page, OTHER).getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove it" }).click();
  await card(page, OTHER).waitFor({ state: "detached" });
  await card(page, ONE).getByText("The same value as").waitFor({ state: "detached" });
});

provesInBrowser(
  "DB-9",
  "a marker in a talk leads its owner to the secret; whoever may not list secrets sees kind and fingerprint alone",
  async () => {
    const [value, NAME] = [newValue(), newName("TALKED_OF")];
    const sealed = await daemon.call<{ fingerprint: string }>("POST", "/api/secrets", { name: NAME, value });
    const { fingerprint } = expectOk(sealed, 201);
    const { id } = await start(daemon, { cwd: await newFolder() });
    await turn(daemon, id, `say the key is ${value}\nrun printf '%s' ${value} | base64`);
    const marker = `[redacted:vault:${fingerprint}]`;
    const { page, faults } = await openWindow(daemon, `/ui/session/${id}`);
    const shown = page.locator("a.marker", { hasText: fingerprint });
    await shown.first().waitFor();
    expect(await shown.first().textContent()).toBe(marker);
    expect(await page.content()).not.toContain(value);
    await expectAccessible(page);
    await shown.first().click();
    await page.waitForURL(`**/ui/secrets?fingerprint=${fingerprint}`);
    await card(page, NAME).waitFor();
    expect(await page.locator(".secrets-card").count()).toBe(1);
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByText("Only values with the fingerprint").waitFor({ state: "detached" });

    const link = { capabilities: ["session.*", "audit.read", "system.read"] };
    const { url } = expectOk(await daemon.call<{ url: string }>("POST", "/api/dashboard/links", link), 201);
    const stranger = await openStranger(daemon);
    await stranger.page.goto(url.replace("/#link", `/ui/session/${id}#link`));
    await stranger.page.locator("span.marker", { hasText: fingerprint }).first().waitFor();
    expect(await stranger.page.locator("a.marker").count()).toBe(0);
    await stranger.page.goto(`${daemon.url}/ui/secrets`);
    await stranger.page.locator(".error-card").waitFor();
    expect(await stranger.page.content()).not.toContain(NAME);
    expect(faults).toEqual([]);
  },
);

inBrowser("light, dark and phone are accessible; after a restart the page asks for the passphrase", async () => {
  const NAME = newName("SHOWN");
  expectOk(await daemon.call("POST", "/api/secrets", { name: NAME, value: newValue() }), 201);
  const passphrase = `passphrase ${newValue()}`;
  expectOk(await daemon.call("POST", "/api/vault/rekey", { to: "passphrase", passphrase }));
  for (const options of [{}, { colorScheme: "dark" }, PHONE] as const) {
    const { page } = await openWindow(daemon, "/ui/secrets", options);
    await card(page, NAME).waitFor();
    await page.locator(".secrets-set > summary").click();
    await expectAccessible(page);
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
  }
  await daemon.stop();
  const again = await startDaemon({ home: daemon.home });
  const { page, faults } = await openWindow(again, "/ui/secrets", PHONE);
  await page.getByRole("heading", { name: "The vault is locked" }).waitFor();
  await expectAccessible(page);
  await page.getByLabel("Passphrase").fill("not the passphrase");
  await page.getByRole("button", { name: "Open the vault" }).click();
  await page.locator(".toast-error").waitFor();
  await page.getByLabel("Passphrase").fill(passphrase);
  await page.getByRole("button", { name: "Open the vault" }).click();
  await page.getByText("vault is open").waitFor();
  expect(faults).toEqual([]);
});
