import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { appendFile, copyFile, mkdir, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { BUILT_WITH, noteSources } from "../tools/built-from.ts";
import { plantTree } from "./support/plant-tree.ts";

const SOURCES = ["src/cli/main.ts", "src/cli/used.ts"];
const BIN = join(import.meta.dirname, "../bin/nomos.js");

/** Preloaded, it makes this Node look too old; a Node started from it looks normal. */
const OLD_NODE = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.2" } });';

/** Its output says that it is ready, so it listens first. */
const CLI = `
  export async function main(argv) {
    const alive = setInterval(() => {}, 1000);
    const toldToStop = new Promise((resolve) => process.once("SIGTERM", resolve));
    console.log(JSON.stringify(argv));
    if (argv[0] === "bug") throw new Error("a bug");
    if (argv[0] === "die") process.kill(process.pid, "SIGKILL");
    if (argv[0] === "wait") await toldToStop;
    clearInterval(alive);
    return 3;
  }`;

describe.each(["a new Node", "an old Node beside the pinned one"])("started by %s", (by) => {
  const isOld = by !== "a new Node";

  test("bin passes its arguments on and exits with the code of main", async () => {
    const { stdout, stderr, exitCode } = await ended(await start({ isOld, argv: ["a b", "--c"] }));
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: '["a b","--c"]\n', stderr: "", exitCode: 3 });
  });

  test("a bug in main exits with its stack and code 1", async () => {
    const { stderr, exitCode } = await ended(await start({ isOld, argv: ["bug"] }));
    expect(stderr).toMatch(/Error: a bug\n +at .*main\.ts:6:/);
    expect(exitCode).toBe(1);
  });

  test("a signal reaches main, which decides how to end", async () => {
    const child = await start({ isOld, argv: ["wait"] });
    await once(child.stdout, "readable");
    child.kill("SIGTERM");
    expect(await ended(child)).toMatchObject({ exitCode: 3 });
  });

  test("bin dies of the signal that main died of", async () => {
    expect(await ended(await start({ isOld, argv: ["die"] }))).toMatchObject({ exitCode: null, signal: "SIGKILL" });
  });
});

test("an old Node without a newer one beside it prints one line with the remedy and exits with 6", async () => {
  const root = await checkout();
  const { stdout, stderr, exitCode } = await ended(startIn(root, { isOld: true, argv: ["version"] }));
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 6 });
  expect(stderr).toMatch(/^nomos needs Node 24 or newer and was started by Node 20\.1\.2: install it .+\n$/);
});

test("where there are no sources the bundle runs", async () => {
  const root = await plantTree({ "package.json": '{ "type": "module" }', "dist/cli.js": CLI });
  await copyBin(root);
  expect(await ended(startIn(root, { isOld: false, argv: [] }))).toMatchObject({ exitCode: 3 });
});

describe("in a checkout with a bundle", () => {
  const SAYS_BUNDLE = 'export async function main() { console.log("bundle"); return 0; }';

  async function built(listed: readonly string[]): Promise<string> {
    const root = await checkout();
    await mkdir(join(root, "dist"));
    await writeFile(join(root, "dist", "cli.js"), SAYS_BUNDLE);
    await noteSources(root, join(root, "dist"), listed, Date.now() + 1000);
    return root;
  }
  const said = async (root: string) => (await ended(startIn(root, { isOld: false, argv: [] }))).stdout;

  test("the bundle runs while its sources are unchanged", async () => {
    expect(await said(await built(SOURCES))).toBe("bundle\n");
  });

  test("the sources run when the list was cut short", async () => {
    const root = await built(SOURCES);
    await truncate(join(root, "dist", "built-from.json"), 10);
    expect(await said(root)).toBe("[]\n");
  });

  test.each<[string, (source: string) => Promise<void>]>([
    ["was changed", (source) => appendFile(source, "\n")],
    ["has another time", (source) => utimes(source, 1, 1)],
    ["is gone", (source) => rm(source)],
  ])("the sources run when one %s", async (_what, change) => {
    const root = await built(SOURCES);
    await change(join(root, "src/cli/used.ts"));
    expect(await said(root)).toBe("[]\n");
  });

  test("a file that changed during the build leaves no list, and the sources run", async () => {
    const root = await built(SOURCES);
    await rm(join(root, "dist", "built-from.json"));
    await noteSources(root, join(root, "dist"), SOURCES, 0);
    expect(await said(root)).toBe("[]\n");
  });
});

test("compiled code is cached in an existing Nomos home; no home is created for it", async () => {
  const root = await checkout();
  await ended(startIn(root, { isOld: false, argv: [] }));
  expect(existsSync(join(root, "home"))).toBe(false);
  await mkdir(join(root, "home"));
  await ended(startIn(root, { isOld: false, argv: [] }));
  expect(existsSync(join(root, "home", "cache", "compiled"))).toBe(true);
});

interface Start {
  readonly isOld: boolean;
  readonly argv: readonly string[];
}

type Started = ChildProcess & { readonly stdout: NodeJS.ReadableStream; readonly stderr: NodeJS.ReadableStream };

async function start(options: Start): Promise<Started> {
  const root = await checkout();
  await mkdir(join(root, "node_modules", ".bin"), { recursive: true });
  await symlink(process.execPath, join(root, "node_modules", ".bin", "node"));
  return startIn(root, options);
}

function startIn(root: string, { isOld, argv }: Start): Started {
  const preload = isOld ? ["--require", join(root, "old-node.cjs")] : [];
  return spawn(process.execPath, [...preload, join(root, "bin", "nomos.js"), ...argv], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: undefined, NOMOS_HOME: join(root, "home") },
  });
}

async function checkout(): Promise<string> {
  const root = await plantTree({
    "old-node.cjs": OLD_NODE,
    ...Object.fromEntries(BUILT_WITH.map((path) => [path, "{}"])),
    "package.json": '{ "type": "module" }',
    "src/cli/used.ts": "",
    "src/cli/main.ts": CLI.replace("argv)", "argv: string[]): Promise<number>"),
  });
  await copyBin(root);
  return root;
}

async function copyBin(root: string): Promise<void> {
  await mkdir(join(root, "bin"));
  await copyFile(BIN, join(root, "bin", "nomos.js"));
}

async function ended(child: Started) {
  const [[exitCode, signal], stdout, stderr] = await Promise.all([
    once(child, "exit"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { exitCode, signal, stdout, stderr };
}
