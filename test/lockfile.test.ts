import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { completeLockfile } from "../tools/complete-lockfile.ts";

const text = readFileSync(join(import.meta.dirname, "../package-lock.json"), "utf8");

test("the lockfile names no host: packages come from the configured registry", () => {
  expect(text.split("\n").filter((line) => /"resolved": "(?!tools\/runtime")/.test(line))).toEqual([]);
});

test("the lockfile lists every platform's package, so that npm ci accepts it (else: npm run lock)", () => {
  const lockfile = JSON.parse(text);
  expect(Object.keys(lockfile.packages).length).toBeGreaterThan(1);
  expect(completeLockfile(lockfile)).toEqual(lockfile);
});

test("a missing package is added with its version and platform", () => {
  const owner = {
    version: "1.2.3",
    dev: true,
    optionalDependencies: { "@x/part-linux-arm64-musl": "1.2.3", "@x/part-win32-x64-msvc": "1.2.3" },
  };
  const { packages } = completeLockfile({ packages: { "node_modules/x": owner } });
  expect(packages).toEqual({
    "node_modules/@x/part-linux-arm64-musl": {
      version: "1.2.3",
      cpu: ["arm64"],
      dev: true,
      libc: ["musl"],
      optional: true,
      os: ["linux"],
    },
    "node_modules/@x/part-win32-x64-msvc": { version: "1.2.3", cpu: ["x64"], dev: true, optional: true, os: ["win32"] },
    "node_modules/x": owner,
  });
});
