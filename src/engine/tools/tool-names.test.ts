import { expect, test } from "vitest";
import { TOOLS } from "./index.ts";
import { TOOL_NAMES } from "./tool-names.ts";

test("the daemon knows every built-in tool by its name", () => {
  expect(TOOL_NAMES).toEqual(TOOLS.map(({ name }) => name));
});
