import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createRedactor, findMarkers } from "../../../src/redaction/index.ts";
import { hasMarkers, markerRuns } from "./marker-runs.ts";

test("what the redactor writes is found by the page, and all runs joined are the text", () => {
  const redactor = createRedactor({ fingerprintKey: randomBytes(32) });
  const [one, other] = [randomBytes(12).toString("hex"), randomBytes(12).toString("base64url")];
  redactor.learn([{ value: one }, { value: other }]);
  const text = redactor.text(`${one} between ${other}, and ${one}`);
  const runs = markerRuns(text);
  expect(runs.flatMap(({ marker }) => (marker === null ? [] : [marker]))).toEqual(findMarkers(text));
  expect(runs.filter(({ marker }) => marker?.kind === "vault")).toHaveLength(3);
  expect(runs.map((run) => run.text).join("")).toBe(text);
});

test("texts that only begin like a marker stay text", () => {
  for (const text of [
    "",
    "plain",
    "[redacted:vault:0123456789ab",
    "[redacted:vault:0123456789abcd]",
    "[redacted:VAULT:0123456789ab]",
    "[redacted:<b>:0123456789ab]",
    "[redacted:[redacted:",
  ])
    expect(markerRuns(text)).toEqual([{ text, marker: null }]);
  expect(hasMarkers("nothing [here]")).toBe(false);
});
