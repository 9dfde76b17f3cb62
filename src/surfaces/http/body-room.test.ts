import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { Actor } from "../../domains/index.ts";
import { createBodyRoom } from "./body-room.ts";

const MB = 1_048_576;
const actor = (principal: string, capabilities: readonly string[]): Actor => ({
  principal,
  capabilities,
  sessionId: null,
});

proves("NB-5", "large request bodies are limited in total and per token; small ones always fit", () => {
  const room = createBodyRoom();
  const [scoped, operator] = [actor("token:1", ["session.read"]), actor("operator", ["*"])];
  const refused = expect.objectContaining({ code: "overloaded" });
  const open = Array.from({ length: 2 }, () => room.open(scoped));
  for (const share of open) share.hold(32 * MB);
  expect(() => room.open(scoped).hold(MB)).toThrow(refused);
  expect(() => room.open(scoped).hold(60_000)).not.toThrow();
  const large = Array.from({ length: 8 }, () => room.open(operator));
  for (const share of large) share.hold(24 * MB);
  expect(() => room.open(operator).hold(24 * MB)).toThrow(refused);
  expect(() => room.open(operator).hold(60_000)).not.toThrow();
  for (const share of [...open, ...large]) {
    share.close();
    share.close();
  }
  expect(() => room.open(operator).hold(200 * MB)).not.toThrow();
});
