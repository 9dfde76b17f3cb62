import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { recipeOf } from "./agents/recipes.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../docs/guide/endpoints.md"), "utf8");
const AGENTS = ["claude", "codex", "opencode", "gemini", "pi", "copilot", "qwen"];

/** The section of one agent. */
function sectionOf(agent: string): string {
  return GUIDE.split(/^## /m).find((text) => text.startsWith(`${agent}\n`)) ?? "";
}

test.each(AGENTS)("the guide names every variable and file that %s is tested with", async (agent) => {
  const person = await mkdtemp(join(tmpdir(), "nomos-recipe-"));
  onTestFinished(() => rm(person, { recursive: true, force: true }));
  const environment = await recipeOf(agent).prepare(person, "http://127.0.0.1:1");
  const section = sectionOf(agent);
  const told = Object.keys(environment).map((name) => (name === "SCRIPTED_KEY" ? "GATEWAY_KEY" : name));
  expect(told.filter((name) => !section.includes(name))).toEqual([]);
  const laid = (await readdir(person, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const files = laid.map(({ name }) => (name === "opencode.json" ? "opencode-gateway.json" : basename(name)));
  expect(files.filter((name) => !section.includes(name))).toEqual([]);
});

test("every JSON example and every value for the configuration is valid", () => {
  const blocks = [...GUIDE.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, body = ""]) => body);
  const values = [...GUIDE.matchAll(/nomos config set drivers\.\S+ '([^']+)'/g)].map(([, value = ""]) => value);
  expect([blocks.length, values.length]).toEqual([5, 9]);
  for (const text of [...blocks, ...values]) expect(() => JSON.parse(text), text).not.toThrow();
});
