import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bundle } from "../tools/bundle.ts";
import { type Files, plantTree } from "./support/plant-tree.ts";

const run = promisify(execFile);

const ENTRIES = { cli: "src/cli/main.ts", daemon: "src/app/index.ts", "row-thread": "src/store/row-thread.ts" };

test("threads, assets and published files are found both from the sources and from the bundle", async () => {
  const root = await plantTree(product({}));
  const said = "bin true\nasset [1]\nthread ü: hello\n";
  expect(await output(join(root, "src/cli/main.ts"))).toBe(said);
  await bundle({ root, outDir: join(root, "dist"), entries: ENTRIES });
  await rm(join(root, "src"), { recursive: true });
  expect(await output(join(root, "dist/cli.js"))).toBe(said);
});

test.each<[string, Flaw, RegExp]>([
  ["a missing entry", { entries: { ...ENTRIES, gone: "src/gone.ts" } }, /no such entry: src\/gone\.ts/],
  ["a thread that is not an entry", { entries: { cli: ENTRIES.cli } }, /\.\/row-thread\.ts has no place in dist/],
  ["a missing asset", { asset: "./price/gone.json" }, /\.\/price\/gone\.json has no place in dist/],
  ["a whole folder", { asset: "./price/" }, /\.\/price\/ has no place in dist/],
  ["another use of import.meta", { hello: "import.meta.dirname" }, /row\.ts: import\.meta is for new URL/],
])("the bundle refuses %s", async (_what, flaw, message) => {
  const root = await plantTree(product(flaw));
  const entries = flaw.entries ?? ENTRIES;
  await expect(bundle({ root, outDir: join(root, "dist"), entries })).rejects.toThrow(message);
});

test("who takes one function from a room's entrance does not load the room", async () => {
  const root = await plantTree({
    "package.json": '{ "type": "module", "sideEffects": false }',
    "src/cli/main.ts": `
      import { small, type Shape, SIZE as size } from "../store/index.ts";
      const shape: Shape = { size };
      console.log(small(), shape.size);
      if (process.argv[2] === "large") console.log((await import("../store/index.ts")).large());`,
    "src/store/index.ts": `
      export { type Shape, SIZE, small } from "./small.ts";
      export { big as large } from "./big.ts";`,
    "src/store/small.ts": `
      export interface Shape { readonly size: number }
      export const SIZE = 1;
      export const small = () => "small";`,
    "src/store/big.ts": 'console.log("loaded"); export const big = () => "large";',
  });
  const main = join(root, "dist/cli.js");
  await bundle({ root, outDir: join(root, "dist"), entries: { cli: "src/cli/main.ts" } });
  expect(await output(main)).toBe("small 1\n");
  expect(await output(main, "large")).toBe("small 1\nloaded\nlarge\n");
});

interface Flaw {
  readonly entries?: Readonly<Record<string, string>>;
  readonly asset?: string;
  readonly hello?: string;
}

/** A small product in which each kind of reference prints one line. */
function product({ asset = "./price/list.json", hello = '"ü: hello"' }: Flaw): Files {
  return {
    "package.json": '{ "type": "module" }',
    "bin/nomos.js": "",
    "src/cli/main.ts": `
      import { existsSync } from "node:fs";
      const { runDaemon } = await import("../app/index.ts");
      console.log("bin", existsSync(new URL("../../bin/nomos.js", import.meta.url)));
      await runDaemon();`,
    "src/app/index.ts": `
      import { readFileSync } from "node:fs";
      import { startRow } from "../store/index.ts";
      export async function runDaemon(): Promise<void> {
        console.log("asset", readFileSync(new URL("${asset}", import.meta.url), "utf8"));
        console.log("thread", await startRow());
      }`,
    "src/app/price/list.json": "[1]",
    "src/store/index.ts": 'export { startRow } from "./row.ts";',
    "src/store/row.ts": `
      import { once } from "node:events";
      import { Worker } from "node:worker_threads";
      export const hello = ${hello};
      export async function startRow(): Promise<unknown> {
        const [answer] = await once(new Worker(new URL("./row-thread.ts", import.meta.url)), "message");
        return answer;
      }`,
    "src/store/row-thread.ts": `
      import { parentPort } from "node:worker_threads";
      import { hello } from "./row.ts";
      parentPort?.postMessage(hello);`,
  };
}

async function output(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [...args]);
  return stdout;
}
