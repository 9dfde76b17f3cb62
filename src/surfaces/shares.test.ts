import { expect, test } from "vitest";
import { createShares } from "./shares.ts";

const actor = (principal: string, ...capabilities: readonly string[]) => ({ principal, capabilities, sessionId: null });

test("each scoped principal has its own share", () => {
  const { take } = createShares("streams");
  const mine = actor("token:1", "session.*");
  const back = Array.from({ length: 32 }, () => take(mine));
  expect(() => take(mine)).toThrow(
    expect.objectContaining({ code: "overloaded", details: expect.objectContaining({ max: 32 }) }),
  );
  expect(() => take(actor("token:2", "session.*"))).not.toThrow();
  back[0]?.();
  back[0]?.();
  expect(() => take(mine)).not.toThrow();
  expect(() => take(mine)).toThrow("");
});

test("the operator has a larger share", () => {
  const { take } = createShares("streams");
  for (let count = 0; count < 1000; count += 1) take(actor("operator", "*"));
  expect(() => take(actor("operator", "*"))).toThrow(expect.objectContaining({ code: "overloaded" }));
});
