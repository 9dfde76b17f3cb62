import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addHashes, completeLockfile, type Lockfile, withoutHash } from "../tools/complete-lockfile.ts";

const ROOT = join(import.meta.dirname, "..");
const text = readFileSync(join(ROOT, "package-lock.json"), "utf8");
const { packages }: Lockfile = JSON.parse(text);

/**
 * Development tools with a binary per platform. Registries exist that carry only some of them, and without bytes there
 * is nothing to hash. No other package may be locked without one.
 */
const MAY_LACK_HASHES: readonly string[] = ["@biomejs/biome", "oxc-parser", "rolldown"];

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
  const { packages: completed } = completeLockfile({ packages: { "node_modules/x": owner } });
  expect(completed).toEqual({
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

test("only binaries of development tools, for platforms other than this one, are locked without a hash", () => {
  const binaries = MAY_LACK_HASHES.flatMap((owner) =>
    Object.keys(packages[`node_modules/${owner}`]?.optionalDependencies ?? {}).map((name) => `node_modules/${name}`),
  );
  const lacking = withoutHash({ packages });
  expect(lacking.filter((path) => !binaries.includes(path))).toEqual([]);
  expect(lacking.filter((path) => packages[path]?.optional !== true || packages[path]?.dev !== true)).toEqual([]);
});

test("nothing that the lockfile has no hash of is installed (else: npm run lock, and commit the hash)", () => {
  const installed: Lockfile = JSON.parse(readFileSync(join(ROOT, "node_modules/.package-lock.json"), "utf8"));
  const lacking = new Set(withoutHash({ packages }));
  const paths = Object.keys(installed.packages);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => lacking.has(path))).toEqual([]);
});

test("a hash is added where the registry knows one; one that is there is kept", async () => {
  const locked = {
    packages: {
      "": { version: "1.0.0" },
      "node_modules/a": { version: "1.0.0", integrity: "sha512-kept" },
      "node_modules/b": { version: "2.0.0", optional: true },
      "node_modules/c": { link: true },
      "node_modules/a/node_modules/@x/d": { version: "3.0.0" },
    },
  };
  const hashes = new Map([
    ["b@2.0.0", "sha512-b"],
    ["a@1.0.0", "sha512-other"],
  ]);
  const hashOf = async (name: string, version: string) => hashes.get(`${name}@${version}`) ?? null;
  const { packages: filled } = await addHashes(locked, hashOf);
  expect(filled).toEqual({
    ...locked.packages,
    "node_modules/b": { version: "2.0.0", integrity: "sha512-b", optional: true },
  });
  expect(withoutHash({ packages: filled })).toEqual(["node_modules/a/node_modules/@x/d"]);
});
