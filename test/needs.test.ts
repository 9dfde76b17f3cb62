import { afterEach, expect, test, vi } from "vitest";
import { needs } from "./support/needs.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test("a present part is reported as present", () => {
  expect(needs("git")).toBe(true);
});

test("a missing part is named with the command that installs it", () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  vi.stubEnv("PATH", "/nowhere");
  vi.stubEnv("NOMOS_TEST_FORBID_SKIP", "");
  expect(needs("bwrap", "ps")).toBe(false);
  expect(warn.mock.calls).toEqual([
    [
      "skipped: bwrap is missing; install it with: apt-get install -y bubblewrap; ps is missing; install it with: apt-get install -y procps",
    ],
  ]);
});

test("where nothing may be skipped a missing part is an error", () => {
  vi.stubEnv("PATH", "/nowhere");
  vi.stubEnv("NOMOS_TEST_FORBID_SKIP", "1");
  expect(() => needs("strace")).toThrow("strace is missing; install it with: apt-get install -y strace");
});
