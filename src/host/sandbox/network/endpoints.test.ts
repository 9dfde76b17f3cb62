import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { endpointRules } from "./endpoints.ts";
import { spellRule } from "./host-rules.ts";

/** The rules for a configuration file with this text. */
function rulesOf(text: string, env: Readonly<Record<string, string>> = {}, fallback = ["api.vendor.test"]) {
  const folder = mkdtempSync(join(tmpdir(), "nomos-endpoints-"));
  try {
    const file = join(folder, "config");
    writeFileSync(file, text);
    mkdirSync(join(folder, "folder"));
    const files = [join(folder, "missing"), join(folder, "folder"), file];
    return endpointRules({ env, files, fallback }).map(spellRule);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

proves("WL-5", "an agent reaches the model's host that the person configured, else the vendor's", () => {
  expect(rulesOf("")).toEqual(["api.vendor.test"]);
  expect(rulesOf("", {}, ["not a host", "b.test:8080"])).toEqual(["b.test:8080"]);
  for (const text of [
    'base_url = "https://m.test/v1"',
    '{"baseURL": "https://m.test/v1"}',
    "baseUrl: https://m.test/v1",
    "api_base='https://m.test'",
  ])
    expect([text, rulesOf(text)]).toEqual([text, ["m.test:443"]]);
  expect(rulesOf('endpoint = "http://m.test:8080/x"\nbase_url = "http://n.test"')).toEqual([
    "m.test:8080",
    "n.test:80",
  ]);
  for (const name of ["OPENAI_BASE_URL", "API_BASE", "X_API_URL", "AZURE_ENDPOINT"])
    expect([name, rulesOf("", { [name]: "https://m.test" })]).toEqual([name, ["m.test:443"]]);
});

proves("WL-5", "no other setting and no other kind of address opens a host", () => {
  for (const env of [
    { BASE_URL_OTHER: "https://m.test" },
    { OPENAI_BASE_URL: "ftp://m.test" },
    { OPENAI_BASE_URL: "m.test" },
  ])
    expect(rulesOf("", env)).toEqual(["api.vendor.test"]);
  expect(rulesOf('homepage = "https://m.test"')).toEqual(["api.vendor.test"]);
  expect(rulesOf(`${" ".repeat(262_145)}base_url = "https://m.test"`)).toEqual(["api.vendor.test"]);
});
