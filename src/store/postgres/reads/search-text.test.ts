import fc from "fast-check";
import { expect, test } from "vitest";
import { snippetOf, tsqueryOf, tsvectorOf } from "./search-text.ts";

test("letters and digits make words; case, accents and punctuation do not count", () => {
  expect(tsvectorOf("Grüße, an v2.1 — naïve 東京")).toBe("'gruße':1 'an':2 'v2':3 '1':4 'naive':5 '東京':6");
  expect(tsqueryOf("LEDGER migr")).toBe("'ledger' & 'migr':*");
  expect(tsqueryOf("foo-bar baz")).toBe("'foo' <-> 'bar' & 'baz':*");
  expect(tsqueryOf("  -- * \" ' ")).toBeNull();
});

test("no part of a search text is taken for an operator", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const query = tsqueryOf(text);
      if (query !== null) expect(query).toMatch(/^'[^'\\]+'(( <-> | & )'[^'\\]+')*:\*$/u);
      expect(tsvectorOf(text)).toMatch(/^('[^'\\]+':\d+( |$))*$/u);
    }),
  );
});

test("a snippet shows a few words around the first match", () => {
  const words = Array.from({ length: 40 }, (_, n) => `word${n}`).join(" ");
  expect(snippetOf(words, "word20")).toMatch(/^…word16 .*word27…$/);
  expect(snippetOf("all of it", "of")).toBe("all of it");
  expect(snippetOf(words, "nothing")).toMatch(/^word0 .*word11…$/);
});
