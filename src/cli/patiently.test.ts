import { expect, test } from "vitest";
import { createMeasure } from "./patiently.ts";

test("progress with an amount is a bar and a percentage; the estimate comes from the pace so far", () => {
  const measure = createMeasure();
  expect(measure({ message: "copying", done: 0, total: 100 }, 0, 80)).toBe(`${"░".repeat(20)} 0% copying`);
  expect(measure({ message: "copying", done: 10, total: 100 }, 1_000, 80)).toBe(`██${"░".repeat(18)} 10% copying`);
  expect(measure({ message: "copying", done: 25, total: 100 }, 5_000, 80)).toBe(
    `█████${"░".repeat(15)} 25% copying, about 15 s left`,
  );
  expect(measure({ message: "copying", done: 100, total: 100 }, 9_000, 40)).toBe(
    `${"█".repeat(10)} 100% copying, about 0 ms left`,
  );
});

test("a new part of the work has a pace of its own", () => {
  const measure = createMeasure();
  measure({ message: "copying", done: 90, total: 100 }, 0, 80);
  expect(measure({ message: "checking", done: 0, total: 10 }, 10_000, 80)).toMatch(/^░+ 0% checking$/);
  expect(measure({ message: "checking", done: 5, total: 10 }, 13_000, 80)).toContain("about 3 s left");
});

test("progress without an amount is its message", () => {
  expect(createMeasure()({ message: "downloading claude" }, 0, 80)).toBe("downloading claude");
});
