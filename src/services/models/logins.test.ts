import { mkdtemp, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startGitHub } from "../../../test/engine/github.ts";
import type { ConfigService } from "../config/settings.ts";
import { createLogins } from "./logins.ts";

function configOf(providers: object): ConfigService {
  return { show: () => ({ models: { providers } }) } as unknown as ConfigService;
}

test("a login tells page and code, and then gives one short token to all who ask", async () => {
  await using github = await startGitHub();
  const folder = await mkdtemp(join(tmpdir(), "nomos-login-"));
  const fileOf = (provider: string): string => join(folder, `${provider}.login`);
  const options = { clientId: "mine", loginUrl: github.url, apiUrl: github.url };
  const config = configOf({ gh: { api: "copilot", options } });
  const done = Promise.withResolvers<void>();
  const logins = createLogins({ config, fileOf, log: () => done.resolve() });
  expect(await logins.isLoggedIn("gh")).toBe(false);
  expect(await logins.begin("gh")).toEqual({ page: "https://example.test/device", code: "AB-12", expiresInS: 60 });
  await done.promise;
  expect(await logins.isLoggedIn("gh")).toBe(true);
  const token = logins.token("gh");
  const asked = [1, 2, 3].map(() => token?.(new AbortController().signal));
  expect(await Promise.all(asked)).toEqual(["short-1", "short-1", "short-1"]);
  expect(github.exchanges()).toBe(1);
  expect((await stat(fileOf("gh"))).mode & 0o777).toBe(0o600);
  expect(await readFile(fileOf("gh"), "utf8")).toContain("gho_person");
  logins.stop();
});

test("a provider with a key, without a client id, or of another kind has no login", async () => {
  const providers = {
    keyed: { api: "copilot", key: { env: "X" }, options: { clientId: "mine" } },
    nameless: { api: "copilot" },
    other: { api: "openai-chat" },
  };
  const logins = createLogins({ config: configOf(providers), fileOf: (name) => name, log: () => undefined });
  for (const name of [...Object.keys(providers), "absent"]) {
    expect(logins.token(name), name).toBeNull();
    await expect(logins.begin(name), name).rejects.toMatchObject({ code: "login_unsupported" });
  }
});
