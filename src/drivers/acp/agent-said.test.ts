import { expect, test } from "vitest";
import { agentSaid } from "./agent-said.ts";

test.each([
  ["Internal error", { details: "no credits left" }, "no credits left"],
  ["Internal error", "rate limited", "rate limited"],
  ["Internal error", undefined, "it gave no reason"],
  ["Session not found", undefined, "Session not found"],
  ["Bad model", { message: "gpt-9 is unknown" }, "Bad model: gpt-9 is unknown"],
  ["Internal error", { status: 500 }, '{"status":500}'],
])("%j with %j reads: %s", (message, data, said) => {
  expect(agentSaid({ message, data })).toBe(said);
});
