import { expect, test } from "vitest";
import { uriPattern } from "./uri-pattern.ts";

test.each([
  ["nomos://sessions/{id}", "nomos://sessions/abc", { id: "abc" }],
  ["nomos://sessions/{id}", "nomos://sessions/a/b", null],
  ["nomos://sessions/{id}", "nomos://sessions/", null],
  ["nomos://sessions/{id}/artifacts/{+path}", "nomos://sessions/a/artifacts/x/y%20z.md", { id: "a", path: "x/y z.md" }],
  ["nomos://sessions/{id}/artifacts/{+path}", "nomos://sessions/a/artifacts/", null],
  ["test://a.b", "test://aXb", null],
  ["test://a.b", "test://a.b", {}],
  ["nomos://sessions/{id}", "nomos://sessions/%E0%A4%A", null],
])("the pattern %s is matched against %s", (template, uri, expected) => {
  expect(uriPattern(template).match(uri)).toEqual(expected);
});
