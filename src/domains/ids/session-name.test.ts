import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { sessionName } from "./session-name.ts";

proves("K28", "a session name is two words and two hex digits, whatever the bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5 }), (random) => {
      expect(sessionName(random)).toMatch(/^[a-z]+-[a-z]+-[0-9a-f]{2}$/);
    }),
  );
  expect(sessionName(Uint8Array.of(1, 2, 3))).toBe("brave-aspen-03");
  expect(sessionName(Uint8Array.of())).toBe("amber-acorn-00");
  const names = new Set(Array.from({ length: 256 }, (_, n) => sessionName(Uint8Array.from([n, 255 - n, n]))));
  expect(names.size).toBe(256);
});
