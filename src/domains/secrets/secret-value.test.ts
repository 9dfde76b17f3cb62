import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { SECRET_BYTES, utf8Bytes, valueFault } from "./secret-value.ts";

const OWN = ["session.opened@1", "turn_not_found", "/srv/nomos-home"];
const reasonOf = (value: string) => valueFault(value, OWN)?.reason ?? null;

proves("SEC-2", "a value that ordinary text holds is refused with a reason", () => {
  const refused: readonly (readonly [string, string])[] = [
    ["", "empty"],
    ["a\0bcdefghijk", "nul"],
    ["x7!kQ2p", "too_short"],
    ["  x7!kQ2 \n", "too_short"],
    ["ü".repeat(SECRET_BYTES.max / 2 + 1), "too_long"],
    ["        \t", "too_short"],
    ["--------------------------------", "repeated"],
    ["abababababab", "repeated"],
    ["12345678", "number"],
    ["2026-11-18", "number"],
    ["2026-11-18T14:47:23.590Z", "number"],
    ["192.168.100.200", "number"],
    ["sunflower", "word"],
    ["Production", "word"],
    ["PASSWORD", "word"],
    ["password1!", "common"],
    ["P@ssw0rd123", "common"],
    ["changeme-123", "common"],
    ["your-api-key-here", "common"],
    ["https://api.example.com", "address"],
    ["http://localhost:8080/", "address"],
    ["ion.opened@1", "own_word"],
    ["/srv/nomos", "own_word"],
  ];
  for (const [value, reason] of refused) expect([value, reasonOf(value)]).toEqual([value, reason]);
});

proves(
  "SEC-2",
  "values that look like secrets are taken: newlines, URLs with credentials, long digits, other scripts",
  () => {
    const taken = [
      "fake-\nkey-with-newlines\n-----END",
      "postgres://user:fake-pass@db.example/app",
      "https://hooks.example.com/services/T0/B0/fakefakefake",
      "41720938561102947365",
      "fk_0123456789abcdef",
      "пароль-для-проверки-7",
      "correct staple horse battery nine",
      "qhzxkvjwpmtrabcd",
    ];
    for (const value of taken) expect([value, reasonOf(value)]).toEqual([value, null]);
  },
);

proves("SEC-2", "any text is judged without an exception, and the reason never repeats the value", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20, size: "max" }), (value) => {
      const fault = valueFault(value, OWN);
      if (fault !== null && value.length >= 8) expect(fault.says).not.toContain(value);
    }),
  );
});

proves("SEC-2", "the length is counted in UTF-8", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(utf8Bytes(text)).toBe(Buffer.byteLength(text));
    }),
  );
});
