import { expect, test } from "vitest";
import { parseMetrics, sampleValue } from "./parse-metrics.ts";

const TEXT = `# HELP nomos_sessions Sessions by state.
# TYPE nomos_sessions gauge
nomos_sessions{state="idle"} 2
nomos_sessions{state="busy"} 1
odd{what="a \\"quoted\\" one, with a comma",path="C:\\\\x"} 3.5
nomos_append_duration_seconds_bucket{le="+Inf"} 41
nomos_up 1 1794867398221
limit +Inf
this is no metric
broken{ 4
nan NaN
`;

test("the Prometheus text format: names, labels with quotes and commas, values and infinity are read", () => {
  const samples = parseMetrics(TEXT);
  expect(sampleValue(samples, "nomos_sessions", { state: "busy" })).toBe(1);
  expect(sampleValue(samples, "odd")).toBe(3.5);
  expect(samples.find(({ name }) => name === "odd")?.labels).toEqual({
    what: 'a "quoted" one, with a comma',
    path: "C:\\x",
  });
  expect(sampleValue(samples, "limit")).toBe(Number.POSITIVE_INFINITY);
  expect(sampleValue(samples, "nomos_up")).toBe(1);
});

test("lines that are no metric: left out", () => {
  expect(parseMetrics(TEXT).map(({ name }) => name)).not.toEqual(expect.arrayContaining(["this", "broken", "nan"]));
  expect(sampleValue(parseMetrics(""), "nomos_up")).toBeNull();
});
