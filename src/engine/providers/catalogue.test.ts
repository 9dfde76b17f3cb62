import fc from "fast-check";
import { expect, test } from "vitest";
import { builtInCatalogue, type Catalogue, lookUpModel, readCatalogue } from "./catalogue.ts";
import { createModel } from "./create-model.ts";

const bytes = (value: unknown) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

test("the built-in catalogue is valid and plausible", async () => {
  const catalogue = await builtInCatalogue();
  expect(readCatalogue(bytes(catalogue))).toEqual({ ok: true, catalogue });
  expect(Object.keys(catalogue.models).length).toBeGreaterThanOrEqual(40);
  for (const [name, { window, output, price }] of Object.entries(catalogue.models)) {
    expect([name, output * 2 <= window]).toEqual([name, true]);
    if (price !== null)
      expect([name, price.cacheRead <= price.input, price.input <= price.output]).toEqual([name, true, true]);
  }
});

test.each([
  ["anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"],
  ["work/claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"],
  ["aws/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic/claude-sonnet-4-5"],
  ["openrouter/anthropic/claude-sonnet-4.5", "anthropic/claude-sonnet-4-5"],
  ["x/gpt-5-2025-08-07", "openai/gpt-5"],
  ["x/gpt-5-mini-2025-08-07", "openai/gpt-5-mini"],
  ["x/gpt-5.2", "openai/gpt-5.2"],
  ["x/claude-opus-5-5", "anthropic/claude-opus-5-5"],
  ["x/gpt-5.9", null],
  ["x/gpt-50", null],
  ["x/claude-sonnet-4-9", null],
  ["ollama/qwen9:8b", null],
  ["x/__proto__", null],
])("%s is found as %s", async (name, key) => {
  const catalogue = await builtInCatalogue();
  expect(lookUpModel(catalogue, name)).toBe(key === null ? null : catalogue.models[key]);
});

test("the longest known name wins", () => {
  const facts = (window: number) => ({ window, output: 1, images: false, price: null });
  const catalogue: Catalogue = {
    version: "2026-01-01",
    models: { "a/m": facts(1), "a/m-x": facts(2), "b/m-x-y": facts(3) },
  };
  expect(lookUpModel(catalogue, "p/m-x-y-z")?.window).toBe(3);
  expect(lookUpModel(catalogue, "p/m-x-z")?.window).toBe(2);
  expect(lookUpModel(catalogue, "p/m-z")?.window).toBe(1);
});

test.each([
  ["not JSON", "{"],
  ["no version", { models: {} }],
  ["a version that is no day", { version: "2", models: {} }],
  [
    "a name without a vendor",
    { version: "2026-01-01", models: { x: { window: 1, output: 1, images: true, price: null } } },
  ],
  ["a fraction", { version: "2026-01-01", models: { "a/x": { window: 1.5, output: 1, images: true, price: null } } }],
  [
    "a negative price",
    {
      version: "2026-01-01",
      models: {
        "a/x": { window: 1, output: 1, images: true, price: { input: -1, output: 1, cacheRead: 1, cacheWrite: 1 } },
      },
    },
  ],
  ["a field too many", { version: "2026-01-01", models: {}, code: "x" }],
])("a catalogue with %s is refused in a sentence", (_what, value) => {
  const read = readCatalogue(bytes(value));
  expect(read.ok ? "" : read.problem).toMatch(/^The catalogue is .*\.$/);
});

test("any bytes are read or refused, never thrown about", () => {
  fc.assert(fc.property(fc.oneof(fc.uint8Array(), fc.json().map(bytes)), (some) => void readCatalogue(some)));
});

test("a model takes its limits from the settings, then the catalogue, then the defaults", async () => {
  const unknown = await createModel("acme/new-thing", { api: "openai-chat" });
  expect(unknown).toMatchObject({ windowTokens: 128_000, outputTokensMax: 8192, price: null, provider: "acme" });
  const models = { "claude-opus-5": { window: 500_000, price: { input: 1, output: 2.5 } } };
  const own = await createModel("work/claude-opus-5", { api: "anthropic", models });
  expect(own).toMatchObject({ windowTokens: 500_000, outputTokensMax: 128_000, takesImages: true });
  expect(own.price).toEqual({ input: 1_000_000, output: 2_500_000, cacheRead: 1_000_000, cacheWrite: 1_000_000 });
});
