import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { build } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
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
  "web",
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  "docs",
];

const INSTALL_TIMEOUT_MS = 180_000;

/** The package as a user gets it: packed from a copy of the tree, installed into an empty folder. */
const place = { root: "", consumer: "", installed: "" };
let packedFiles: readonly string[] = [];
let tarball = "";

beforeAll(async () => {
  place.root = await realpath(await mkdtemp(join(tmpdir(), "nomos-pack-")));
  place.consumer = join(place.root, "consumer");
  place.installed = join(place.consumer, "node_modules", "nomos");
  const copy = join(place.root, "copy");
  for (const name of PACKED_FROM) await cp(join(ROOT, name), join(copy, name), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  const { path, files } = await packInto(copy, place.root, {});
  packedFiles = files;
  tarball = path;
  await mkdir(place.consumer);
  await writeFile(join(place.consumer, "package.json"), '{ "private": true, "type": "module" }');
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
      "dist/client/browser.js",
      "dist/client/index.d.ts",
      "dist/client/node.js",
      "dist/embed.js",
      "dist/embed/index.d.ts",
      "dist/web/index.html",
      "package.json",
      "verifier/nomos-verify.js",
    ]),
  );
  const strays = packedFiles.filter(
    (path) =>
      !/^(bin|dist|dist\/client|dist\/embed|dist\/tool|dist\/web|dist\/web\/assets|verifier)\/[^/]+$|^docs\/.+\.md$|^[^/]+\.(md|json)$|^LICENSE$/.test(
        path,
      ),
  );
  expect(strays).toEqual([]);
  const sources = packedFiles.filter(
    (path) => path.endsWith(".ts") && !/^dist\/(client|embed|tool)\/[\w.-]+\.d\.ts$/.test(path),
  );
  expect(sources).toEqual([]);
});

test("publint finds no problem in the installed package", async () => {
  const { messages } = await publint({ pkgDir: place.installed, pack: false, strict: true });
  expect(messages).toEqual([]);
});

test("every export finds its types, as a module and in a bundler", async () => {
  const checked = await checkPackage(createPackageFromTarballData(await readFile(tarball)));
  expect("problems" in checked ? checked.problems.filter(isNews) : "no types").toEqual([]);
});

/** The package is of modules alone, and older resolution knows no `exports`. */
function isNews(problem: { readonly kind: string; readonly resolutionKind?: string }): boolean {
  return problem.resolutionKind !== "node10" && problem.kind !== "CJSResolvesToESM";
}

test("npx nomos version answers from the installed bundle", async () => {
  const manifest: unknown = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const { stdout, stderr } = await npx("nomos", "version");
  expect(manifest).toMatchObject({ version: stdout.match(/\d+\.\d+\.\d+/)?.[0] });
  expect(stderr).toBe("");
});

test(
  "installed globally, the commands are on the PATH of the prefix and work",
  async () => {
    const prefix = join(place.root, "prefix");
    const flags = ["--prefer-offline", "--omit=dev", "--no-audit", "--no-fund", "--prefix", prefix];
    await runIn(place.root, "npm", ["install", "-g", ...flags, tarball], {});
    const run = (name: string, ...args: readonly string[]) => runIn(place.root, join(prefix, "bin", name), args, {});
    expect((await run("nomos", "version")).stdout).toMatch(/\d+\.\d+\.\d+/);
    expect((await run("nomos-verify", "--help")).stdout).toMatch(/^nomos-verify BUNDLE/);
  },
  INSTALL_TIMEOUT_MS,
);

test("npx nomos-verify answers, from the files as they stand in the repository", async () => {
  expect((await npx("nomos-verify", "--help")).stdout).toMatch(/^nomos-verify BUNDLE/);
});

describe("nomos/client", () => {
  const EXAMPLE = `
import { connect, type Session } from "nomos/client";
const nomos = await connect();
const session: Session = await nomos.session.start({ adapter: "demo", cwd: "/tmp", prompt: "say hello" });
for await (const item of nomos.session.stream({ id: session.id })) {
  if (item.event === "line") console.log(item.data.line);
  if (item.event === "event" && item.data.type === "turn.ended@1") break;
}
`;

  test("a program in TypeScript compiles against the declarations, and so do the examples of the guide", async () => {
    const guide = await readFile(join(ROOT, "docs/guide/scripting.md"), "utf8");
    const examples = [...guide.matchAll(/^```ts file=(\S+)\n([\s\S]*?)^```$/gm)];
    expect(examples.length).toBeGreaterThanOrEqual(5);
    for (const [, name = "", body = ""] of examples) await writeFile(join(place.consumer, name), body);
    await writeFile(join(place.consumer, "example.ts"), EXAMPLE);
    expect(await compile("example.ts", ...examples.map(([, name = ""]) => name))).toBe("");
  });

  test.each([
    ["a member that no syscall takes", 'nomos.session.start({ adapter: "demo", promt: "x" })', /promt/],
    ["a missing member", "nomos.session.start({})", /adapter/],
    ["a value of the wrong type", "nomos.session.prompt({ id: 1, prompt: 'x' })", /TS2322/],
    ["an unknown verb", "nomos.session.halt({ id: 'x' })", /halt/],
    ["an answer's unknown member", "(await nomos.session.show({ id: 'x' })).stat", /stat/],
    ["a stream that is awaited as a call", "(await nomos.session.wait({ id: 'x' })).next()", /next/],
  ])("%s does not compile", async (_what, call, message) => {
    const program = `import { connect } from "nomos/client";\nconst nomos = await connect();\nawait ${call};\n`;
    await writeFile(join(place.consumer, "wrong.ts"), program);
    expect(await compile("wrong.ts")).toMatch(message);
  });

  test("the example runs against a daemon of the installed package", async () => {
    await writeFile(join(place.consumer, "example.ts"), EXAMPLE);
    const env = { NOMOS_HOME: join(place.root, "home"), NOMOS_PORT: "0" };
    await npxIn(place.consumer, ["nomos", "up", "--detach"], env);
    onTestFinished(async () => void (await npxIn(place.consumer, ["nomos", "down"], env)));
    const { stdout } = await runIn(place.consumer, process.execPath, ["example.ts"], env);
    expect(stdout).toBe("hello\n── turn-end (completed) ──\n");
    const link = (await npxIn(place.consumer, ["nomos", "open"], env)).stdout.trim();
    expect(await (await fetch(link)).text()).toContain("/assets/main-");
  });

  test("without a daemon the error says how to start one, and none is started", async () => {
    await writeFile(join(place.consumer, "example.ts"), EXAMPLE);
    const env = { NOMOS_HOME: join(place.root, "empty") };
    const failed = runIn(place.consumer, process.execPath, ["example.ts"], env);
    await expect(failed).rejects.toThrow(/No daemon runs on .*empty/);
    expect(existsSync(env.NOMOS_HOME)).toBe(false);
  });

  test("a bundle for browsers needs no module of Node", async () => {
    await writeFile(join(place.consumer, "example.ts"), EXAMPLE);
    const { outputFiles, metafile } = await build({
      absWorkingDir: place.consumer,
      entryPoints: ["example.ts"],
      bundle: true,
      write: false,
      metafile: true,
      platform: "browser",
      format: "esm",
      outdir: "browser",
    });
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
    expect(outputFiles.map(({ text }) => text).join("\n")).not.toMatch(/["'`]node:/);
    expect(Object.keys(metafile.inputs)).toContain("node_modules/nomos/dist/client/browser.js");
  });
});

describe("nomos", () => {
  test("the examples and those of the guide compile against the declarations", async () => {
    await cp(join(ROOT, "examples"), join(place.consumer, "examples"), { recursive: true });
    const guide = await readFile(join(ROOT, "docs/guide/embedding.md"), "utf8");
    const blocks = [...guide.matchAll(/^```ts file=(\S+)\n([\s\S]*?)^```$/gm)];
    for (const [, name = "", body = ""] of blocks) await writeFile(join(place.consumer, `guide-${name}`), body);
    const examples = (await readdir(join(place.consumer, "examples"))).map((name) => `examples/${name}`);
    expect(await compile(...examples, ...blocks.map(([, name = ""]) => `guide-${name}`))).toBe("");
  });

  test("what cannot work does not compile", async () => {
    const wrong: readonly (readonly [call: string, message: RegExp])[] = [
      ['createNomos({ hom: "x" })', /hom/],
      ['createNomos({ policy: () => "maybe" })', /maybe/],
      ['createNomos({ policy: async () => "allow" })', /Promise/],
      ['createNomos({ tools: [{ name: "a", description: "" }] })', /run/],
      ["(await createNomos()).session({ modle: 'x' })", /modle/],
    ];
    const calls = wrong.map(([call]) => `await ${call};`).join("\n");
    await writeFile(join(place.consumer, "wrong.ts"), `import { createNomos } from "nomos";\n${calls}\n`);
    const said = (await compile("wrong.ts")).split("\n");
    wrong.forEach(([, message], at) => {
      expect(said.filter((line) => line.startsWith(`wrong.ts(${at + 2},`)).join()).toMatch(message);
    });
  });

  test("an example runs without a daemon, and leaves none behind", async () => {
    await cp(join(ROOT, "examples"), join(place.consumer, "examples"), { recursive: true });
    const { stdout, stderr } = await runIn(place.consumer, process.execPath, ["examples/tool.ts"], {});
    expect({ stdout, stderr }).toEqual({ stdout: "calls stock tea\ngets 12 of tea\ncounted\n", stderr: "" });
    expect(existsSync(join(place.consumer, ".my-agent", "daemon.json"))).toBe(false);
  });
});

describe("nomos/tool", () => {
  test("the tool of the guide compiles against the declarations, and so do the other ways to write one", async () => {
    const guide = await readFile(join(ROOT, "docs/guide/tools.md"), "utf8");
    const [, body = ""] = /^```ts file=shout.ts\n([\s\S]*?)^```$/m.exec(guide) ?? [];
    expect(body).not.toBe("");
    await writeFile(join(place.consumer, "shout.ts"), body);
    await writeFile(
      join(place.consumer, "plain.ts"),
      `import type { UserTool } from "nomos/tool";
       export default { description: "d", run: (input: { a: string }) => input.a } satisfies UserTool<{ a: string }>;
       export const second = { description: "d", input: { type: "object" }, run() {} } satisfies UserTool;`,
    );
    expect(await compile("shout.ts", "plain.ts")).toBe("");
    const wrong =
      'import { defineTool } from "nomos/tool";\nexport default defineTool({ descripton: "d", run: () => 5 });\n';
    await writeFile(join(place.consumer, "wrong.ts"), wrong);
    expect(await compile("wrong.ts")).toMatch(/descripton|number/);
  });

  test("it is there at run time too", async () => {
    await writeFile(
      join(place.consumer, "run-tool.mjs"),
      'import { defineTool } from "nomos/tool"; console.log(defineTool({ description: "d", run: () => "ran" }).run({}));',
    );
    expect((await runIn(place.consumer, process.execPath, ["run-tool.mjs"], {})).stdout).toBe("ran\n");
  });
});

/** What the compiler says; nothing when it is content. */
async function compile(...files: readonly string[]): Promise<string> {
  const options = ["--ignoreConfig", "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2024"];
  const types = ["--module", "nodenext", "--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const asked = runIn(place.consumer, process.execPath, [compiler, ...options, ...types, ...files], {});
  return asked.then(
    ({ stdout }) => stdout,
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
}

function npx(...args: readonly string[]): ReturnType<typeof npxIn> {
  return npxIn(place.consumer, args, { NOMOS_HOME: join(place.root, "home") });
}
