import { expect, test } from "vitest";
import { addInput, NO_DRAFT } from "./add-input.ts";
import { matching, priceText, providersOf } from "./providers-of.ts";

test("what is empty is left out; a key is named by its place", () => {
  expect(addInput({ ...NO_DRAFT, name: " acme " })).toEqual({ name: "acme" });
  const whole = {
    ...{ name: "acme", api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", model: "m", keyFrom: "file", key: "/k" },
    ...{ window: "8000", priceIn: "1.5", priceOut: "", isDefault: true },
  };
  expect(addInput(whole)).toEqual({
    ...{ name: "acme", api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", model: "m", key: "file:/k" },
    ...{ window: 8000, price: { input: 1.5, output: 0 }, default: true },
  });
  expect(addInput({ ...whole, keyFrom: "" })).not.toHaveProperty("key");
});

test("models stand with their provider, the default first and the demo last", () => {
  const facts = { api: "openai", window: 1, output: 1, price: null, key: null };
  const list = ["demo/script", "b/one", "b/two/x"].map((name) => ({ ...facts, name, isDefault: name === "b/two/x" }));
  const names = providersOf(list).map(({ name, models }) => [name, ...models.map((model) => model.name)]);
  expect(names).toEqual([
    ["b", "b/two/x", "b/one"],
    ["demo", "demo/script"],
  ]);
  expect(matching(list, "TWO openai").map(({ name }) => name)).toEqual(["b/two/x"]);
  expect([3, 0, 0.075].map(priceText)).toEqual(["$3.00", "$0.00", "$0.075"]);
});
