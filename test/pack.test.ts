import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { npxIn, packInto, runIn } from "./support/packing.ts";

const ROOT = join(import.meta.dirname, "..");

/** The files that `npm pack` needs: what is published, and what builds it. */
const PACKED_FROM = [
  "package.json",
  ".npmrc",
  "bin",
  "src",
  "packages",
  "tools",
  "verifier",
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  "docs",
];

const INSTALL_TIMEOUT_MS = 180_000;

/** The package as a user gets it: packed from a copy of the tree, installed into an empty folder. */
const place = { root: "", consumer: "", installed: "" };
let packedFiles: readonly string[] = [];

beforeAll(async () => {
  place.root = await realpath(await mkdtemp(join(tmpdir(), "nomos-pack-")));
  place.consumer = join(place.root, "consumer");
  place.installed = join(place.consumer, "node_modules", "nomos");
  const copy = join(place.root, "copy");
  for (const name of PACKED_FROM) await cp(join(ROOT, name), join(copy, name), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  const { path, files } = await packInto(copy, place.root, {});
  packedFiles = files;
  await mkdir(place.consumer);
  const install = ["install", "--prefer-offline", "--omit=dev", "--no-audit", "--no-fund", path];
  await runIn(place.consumer, "npm", install, {});
}, INSTALL_TIMEOUT_MS);

afterAll(() => rm(place.root, { recursive: true, force: true }));

test("the tarball holds the bundle and no source", () => {
  expect(packedFiles).toEqual(
    expect.arrayContaining([
      "LICENSE",
      "README.md",
      "bin/nomos.js",
      "dist/cli.js",
      "package.json",
      "verifier/nomos-verify.js",
    ]),
  );
  const strays = packedFiles.filter(
    (path) => !/^(bin|dist|verifier)\/[^/]+$|^docs\/.+\.md$|^[^/]+\.(md|json)$|^LICENSE$/.test(path),
  );
  expect(strays).toEqual([]);
  expect(packedFiles.filter((path) => path.endsWith(".ts"))).toEqual([]);
});

test("publint finds no problem in the installed package", async () => {
  const { messages } = await publint({ pkgDir: place.installed, pack: false, strict: true });
  expect(messages).toEqual([]);
});

test("npx nomos version answers from the installed bundle", async () => {
  const manifest: unknown = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const { stdout, stderr } = await npx("nomos", "version");
  expect(manifest).toMatchObject({ version: stdout.match(/\d+\.\d+\.\d+/)?.[0] });
  expect(stderr).toBe("");
});

test("npx nomos-verify answers, from the files as they stand in the repository", async () => {
  expect((await npx("nomos-verify", "--help")).stdout).toMatch(/^nomos-verify BUNDLE/);
});

function npx(...args: readonly string[]): ReturnType<typeof npxIn> {
  return npxIn(place.consumer, args, { NOMOS_HOME: join(place.root, "home") });
}
