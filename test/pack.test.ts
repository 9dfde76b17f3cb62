import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { publint } from "publint";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** The files that `npm pack` needs: what is published, and what builds it. */
const PACKED_FROM = [
  "package.json",
  ".npmrc",
  "bin",
  "src",
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
  const tarball = await pack(copy);
  await mkdir(place.consumer);
  await npm(place.consumer, "install", "--prefer-offline", "--omit=dev", "--no-audit", "--no-fund", tarball);
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
  const { stdout, stderr } = await npx(place.consumer, "nomos", "version");
  expect(manifest).toMatchObject({ version: stdout.match(/\d+\.\d+\.\d+/)?.[0] });
  expect(stderr).toBe("");
});

test("npx nomos-verify answers, from the same files as in the repository", async () => {
  expect((await npx(place.consumer, "nomos-verify", "--help")).stdout).toMatch(/^nomos-verify BUNDLE/);
});

async function pack(folder: string): Promise<string> {
  const { stdout } = await npm(folder, "pack", "--json", "--silent", "--pack-destination", place.root);
  const [packed] = parsePackList(stdout);
  if (!packed) throw new Error(`npm pack answered: ${stdout}`);
  packedFiles = packed.files.map(({ path }) => path);
  return join(place.root, packed.filename);
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** npm 11 prints a list, later versions an object by package name. Output of prepack may come before it. */
function parsePackList(stdout: string): readonly Packed[] {
  const answer: unknown = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  if (typeof answer !== "object" || answer === null) return [];
  return Object.values(answer).filter(isPacked);
}

function isPacked(value: unknown): value is Packed {
  return typeof value === "object" && value !== null && "filename" in value && "files" in value;
}

function npm(cwd: string, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return run(cwd, "npm", args);
}

/** `--no`: a missing package is not fetched. */
function npx(cwd: string, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return run(cwd, "npx", ["--no", "--loglevel=error", "--", ...args]);
}

/** This run's Node comes first on the PATH: the installed package has none of its own. */
function run(cwd: string, command: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const env = {
    ...process.env,
    PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
    NOMOS_HOME: join(place.root, "home"),
  };
  return promisify(execFile)(command, args, { cwd, env, encoding: "utf8" });
}
