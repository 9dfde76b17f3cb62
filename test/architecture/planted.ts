import type { Layer } from "../../layers.ts";
import type { Files } from "../support/plant-tree.ts";
import type { RuleName } from "./inspect-tree.ts";

/** A small house: core (pure) <- catalogue <- page (browser), desk; desk launches roof, which stands on all of them. */
export const HOUSE: readonly Layer[] = [
  { name: "core", dir: "src/core", level: 0, mayImport: [], runtime: "language", maxLines: 400, note: "" },
  {
    name: "catalogue",
    dir: "src/catalogue",
    level: 1,
    mayImport: ["core"],
    runtime: "node",
    maxLinesOfFolder: 450,
    note: "",
  },
  { name: "page", dir: "src/page", level: 2, mayImport: ["core"], runtime: "browser", note: "" },
  {
    name: "desk",
    dir: "src/desk",
    level: 2,
    mayImport: ["core", "catalogue"],
    mayLaunch: ["roof"],
    runtime: "node",
    neverLoads: ["zod"],
    note: "",
  },
  { name: "roof", dir: "src/roof", level: 3, mayImport: ["core", "catalogue", "page"], runtime: "node", note: "" },
];

/** Keeps every rule; a planted case writes its files over it. */
export const SOUND: Files = {
  "package.json": '{ "dependencies": { "zod": "1.0.0", "@scope/part": "1.0.0" } }',
  "test/support/oracle.ts": "export const oracle = 1;\n",
  "src/core/index.ts": 'export { fact } from "./fact.ts";\n',
  "src/core/fact.ts": "export const fact = 1;\n",
  "src/catalogue/index.ts": 'import { fact } from "../core/index.ts";\nexport const catalogue = fact;\n',
  "src/page/index.ts": 'import { fact } from "../core/index.ts";\nexport const page = fact;\n',
  "src/desk/index.ts":
    'import { catalogue } from "../catalogue/index.ts";\nexport const roof = async () => [catalogue, await import("../roof/index.ts")];\n',
  "src/roof/index.ts": 'import { z } from "zod";\nexport const roof = z;\n',
};

export interface Planted {
  readonly files: Files;
  readonly layers?: readonly Layer[];
  /** The one file that is to be reported. */
  readonly at: string;
}

const inFact = (text: string): Planted => ({ files: { "src/core/fact.ts": text }, at: "src/core/fact.ts" });
const inCatalogue = (text: string): Planted => ({
  files: { "src/catalogue/row.ts": text },
  at: "src/catalogue/row.ts",
});
const withTable = (change: Partial<Layer>): Planted => ({
  files: {},
  layers: HOUSE.map((layer) => (layer.name === "catalogue" ? { ...layer, ...change } : layer)),
  at: "layers.ts",
});

export const PLANTED: Readonly<Record<RuleName, readonly Planted[]>> = {
  "sound-table": [
    withTable({ mayImport: ["core", "desk"] }),
    withTable({ mayImport: ["core", "nobody"] }),
    withTable({ mayLaunch: ["core"] }),
  ],
  "known-layer": [
    { files: { "src/attic/box.ts": "export const box = 1;\n" }, at: "src/attic/box.ts" },
    { files: { "src/loose.ts": "export const loose = 1;\n" }, at: "src/loose.ts" },
  ],
  "saw-files": [{ files: { "src/attic/readme.md": "empty" }, at: "src/attic" }],
  parses: [inCatalogue("export const = ;\n")],
  resolves: [
    inCatalogue('import "./gone.ts";\n'),
    inCatalogue('import type { A } from "./gone.ts";\nexport type B = A;\n'),
    inCatalogue('export const worker = new URL("./gone.ts", import.meta.url);\n'),
  ],
  "stays-in-src": [inCatalogue('import { oracle } from "../../test/support/oracle.ts";\nexport const row = oracle;\n')],
  direction: [
    inCatalogue('import { page } from "../page/index.ts";\nexport const row = page;\n'),
    inCatalogue('import type { page } from "../page/index.ts";\nexport type Row = typeof page;\n'),
    inCatalogue('export type Row = typeof import("../page/index.ts");\n'),
    inCatalogue('export { page } from "../page/index.ts";\n'),
    inCatalogue('export * from "../page/index.ts";\n'),
    inCatalogue('export const row = () => import("../page/index.ts");\n'),
    inCatalogue('export const row = new URL("../page/index.ts", import.meta.url);\n'),
    { files: { "src/catalogue/row.test.ts": 'import "../page/index.ts";\n' }, at: "src/catalogue/row.test.ts" },
    {
      files: { "src/desk/now.ts": 'import type { roof } from "../roof/index.ts";\nexport type R = typeof roof;\n' },
      at: "src/desk/now.ts",
    },
  ],
  door: [
    inCatalogue('import { fact } from "../core/fact.ts";\nexport const row = fact;\n'),
    {
      files: {
        "src/roof/tile.ts": "export {};\n",
        "src/desk/now.ts": 'export const now = () => import("../roof/tile.ts");\n',
      },
      at: "src/desk/now.ts",
    },
  ],
  outside: [
    inFact('import { sep } from "node:path";\nexport const fact = sep;\n'),
    inFact('import { part } from "@scope/part";\nexport const fact = part;\n'),
    inFact('export type Fact = import("zod").ZodType;\n'),
    {
      files: { "src/page/leaf.ts": 'import { sep } from "node:path";\nexport const leaf = sep;\n' },
      at: "src/page/leaf.ts",
    },
  ],
  "published-package": [
    inCatalogue('import { test } from "vitest";\nexport const row = test;\n'),
    inCatalogue('import { x } from "@scope/other/deep";\nexport const row = x;\n'),
    { files: { "src/catalogue/row.test.ts": 'import "esbuild";\n' }, at: "src/catalogue/row.test.ts" },
  ],
  "never-loads": [
    { files: { "src/desk/index.ts": 'import { z } from "zod";\nexport const desk = z;\n' }, at: "src/desk/index.ts" },
    {
      files: {
        "src/catalogue/index.ts": 'export { catalogue } from "./row.ts";\n',
        "src/catalogue/row.ts": 'export { z as catalogue } from "zod";\n',
      },
      at: "src/desk/index.ts",
    },
  ],
  "no-cycle": [
    { files: { "src/core/fact.ts": 'import "./index.ts";\nexport const fact = 1;\n' }, at: "src/core/index.ts" },
    {
      files: {
        "src/catalogue/a.ts": 'import type { B } from "./b.ts";\nexport type A = B;\n',
        "src/catalogue/b.ts": 'import type { C } from "./c.ts";\nexport type B = C;\n',
        "src/catalogue/c.ts": 'export type C = import("./a.ts").A;\n',
      },
      at: "src/catalogue/a.ts",
    },
  ],
  "file-size": [inCatalogue("// a line\n".repeat(321))],
  "layer-size": [
    {
      files: { "src/core/a.ts": "// a line\n".repeat(300), "src/core/b.ts": "// a line\n".repeat(100) },
      at: "src/core",
    },
  ],
  "folder-size": [
    {
      files: {
        "src/catalogue/low/a.ts": "// a line\n".repeat(300),
        "src/catalogue/low/deep/b.ts": "// a line\n".repeat(151),
      },
      at: "src/catalogue/low",
    },
  ],
  "plain-name": [
    { files: { "src/catalogue/utils.ts": "export {};\n" }, at: "src/catalogue/utils.ts" },
    { files: { "src/catalogue/row-helpers.ts": "export {};\n" }, at: "src/catalogue/row-helpers.ts" },
    { files: { "src/catalogue/common/row.ts": "export {};\n" }, at: "src/catalogue/common/row.ts" },
    { files: { "src/catalogue/misc.test.ts": "export {};\n" }, at: "src/catalogue/misc.test.ts" },
  ],
  "no-escape-hatch": [
    inCatalogue("export let row: any;\n"),
    inCatalogue("export const row = [] as readonly any[];\n"),
    inCatalogue("// @ts-ignore\nexport const row = 1;\n"),
    inCatalogue("// @ts-expect-error\nexport const row = 1;\n"),
    inCatalogue("/* @ts-nocheck */\nexport const row = 1;\n"),
    inCatalogue("// biome-ignore lint: because\nexport const row = 1;\n"),
  ],
  pure: [
    inFact("export const fact = Date.now();\n"),
    inFact("export const fact = Math.random();\n"),
    inFact('export const fact = Math["random"]();\n'),
    inFact("export const fact = new Date(0);\n"),
    inFact("export const fact = Date();\n"),
  ],
  "one-screen": [
    inCatalogue("export const row = () => console.log(1);\n"),
    inCatalogue('export const row = () => process.stdout.write("1");\n'),
    inCatalogue('export const row = () => process["stderr"].write("1");\n'),
    inCatalogue('export const row = (name: "stdout") => process[name];\n'),
    inCatalogue("const { stdout } = process;\nexport const row = stdout;\n"),
    inCatalogue("const { env, ...rest } = process;\nexport const row = [env, rest];\n"),
    inCatalogue("const other = process;\nexport const row = other;\n"),
    inCatalogue('import { stdout } from "node:process";\nexport const row = stdout;\n'),
    inCatalogue('import { writeSync } from "node:fs";\nexport const row = () => writeSync(1, "1");\n'),
    inCatalogue("export const row = (terminal: { rawOutput: unknown }) => terminal.rawOutput;\n"),
    ...['"\\u001b[2J"', "`\\x1b[2J`", '"/dev/tty"', '{ stdio: "inherit" }'].map((value) => ({
      files: { "src/cli/row.ts": `export const row = ${value};\n` },
      layers: [...HOUSE, { name: "cli", dir: "src/cli", level: 2, mayImport: [], runtime: "node" as const, note: "" }],
      at: "src/cli/row.ts",
    })),
  ],
  "folder-files": [
    {
      files: Object.fromEntries(
        Array.from({ length: 21 }, (_, n) => [`src/catalogue/low/row-${n}.ts`, `export const row = ${n};\n`]),
      ),
      at: "src/catalogue/low",
    },
  ],
  "function-size": [
    inCatalogue(`export function row() {\n${"  // a line\n".repeat(69)}}\n`),
    inCatalogue(`export const row = () => {\n${"  // a line\n".repeat(69)}};\n`),
    inCatalogue(`export const rows = { row() {\n${"  // a line\n".repeat(69)}} };\n`),
    // The name of a factory, and nothing in it that a factory returns.
    inCatalogue(`export function createRow() {\n${"  // a line\n".repeat(69)}}\n`),
    inCatalogue(`export function openRow() {\n${"  // a line\n".repeat(118)}  return () => 1;\n}\n`),
  ],
  "named-exports": [
    { files: { "src/core/index.ts": 'export * from "./fact.ts";\n' }, at: "src/core/index.ts" },
    {
      files: {
        "src/page/index.ts": 'export type * from "./leaf.ts";\n',
        "src/page/leaf.ts": "export type Leaf = 1;\n",
      },
      at: "src/page/index.ts",
    },
  ],
  "used-exports": [
    {
      files: {
        "src/core/index.ts": 'export { fact, other } from "./fact.ts";\n',
        "src/core/fact.ts": "export const fact = 1;\nexport const other = 2;\n",
        "src/core/third.ts": 'import { other } from "./index.ts";\nexport const third = other;\n',
      },
      at: "src/core/index.ts",
    },
    {
      files: { "src/core/index.ts": 'export { fact } from "./fact.ts";\nexport type Other = 1;\n' },
      at: "src/core/index.ts",
    },
  ],
  "decided-change": [
    inCatalogue("export const row = (committer: Committer) => committer.change(System, '', () => [1], by);\n"),
    inCatalogue("export const row = (committer: Committer) => committer.session(id, (state) => [state], by);\n"),
    inCatalogue("export const row = (committer: Committer) => committer.commit([{ of, decide: () => [1] }], by);\n"),
    inCatalogue("export const row = (own: Own) => own.change(() => [1], by);\n"),
  ],
  "one-commit": [
    inCatalogue("export const row = (store: { append: () => void }) => store.append();\n"),
    inCatalogue("export const row = (deps: { store: { erase: () => void } }) => deps.store.erase;\n"),
    inCatalogue('export const row = (log: { append: () => void }) => log["append"]();\n'),
    inCatalogue("export const row = ({ append }: { append: () => void }) => append();\n"),
  ],
};

/** What looks like a violation and is none. */
export const ALLOWED: Readonly<Record<string, Files>> = {
  "a test uses the test tools, Node, its supports and everything below": {
    "src/core/fact.test.ts":
      'import "vitest";\nimport "fast-check";\nimport "node:fs";\nimport "../../test/support/oracle.ts";\n',
    "src/desk/desk.test.ts": 'import "../core/fact.ts";\nimport "../catalogue/index.ts";\n',
  },
  "a test may be long": { "src/catalogue/row.test.ts": "// a line\n".repeat(400) },
  "two folders of one layer that are within their limit": {
    "src/catalogue/low/a.ts": "// a line\n".repeat(300),
    "src/catalogue/low/b.ts": "// a line\n".repeat(150),
    "src/catalogue/high/a.ts": "// a line\n".repeat(300),
    "src/catalogue/low/a.test.ts": "// a line\n".repeat(300),
  },
  "20 files in a folder, beside their tests": Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [
      [`src/catalogue/low/row-${n}.ts`, `export const row = ${n};\n`],
      [`src/catalogue/low/row-${n}.test.ts`, "export {};\n"],
    ]).flat(),
  ),
  "a function of 70 lines, a factory of 120, and a long function in a test": {
    "src/catalogue/row.ts": `export function row() {\n${"  // a line\n".repeat(68)}}\n`,
    "src/catalogue/open-row.ts": `export function openRow() {\n${"  // a line\n".repeat(117)}  return () => 1;\n}\n`,
    "src/catalogue/row.test.ts": `export function row() {\n${"  // a line\n".repeat(200)}}\n`,
  },
  "an export that only a test beside src takes, and export * in a file that is no door": {
    "src/core/index.ts": 'export { fact, other } from "./fact.ts";\n',
    "src/core/fact.ts": "export const fact = 1;\nexport const other = 2;\n",
    "test/other.ts": 'import { other } from "../src/core/index.ts";\nexport const there = other;\n',
    "src/catalogue/row.ts": 'export * from "./open-row.ts";\n',
    "src/catalogue/open-row.ts": "export const openRow = 1;\n",
  },
  "a change by a named decision, and an empty list that is no change": {
    "src/catalogue/row.ts":
      "export const row = (committer: C) => committer.change(System, '', (state) => note(state), by);\nexport const none = read().catch(() => []);\n",
  },
  "a file of 320 lines": { "src/catalogue/row.ts": "// a line\n".repeat(320) },
  "the words any, Date.now and import in text": {
    "src/core/fact.ts": "export const fact = \"any Date.now() import('zod')\"; // any new Date( @ts\n",
  },
  "a process that printed, and the environment of this one": {
    "src/catalogue/row.ts":
      "const { env } = process;\nexport const row = (ran: { stdout: string }) => [ran.stdout, env, process.pid];\n",
  },
  "an erasure by the committer, and an append in a test": {
    "src/catalogue/row.ts": "export const row = (committer: { erase: () => void }) => committer.erase();\n",
    "src/catalogue/row.test.ts": "export const row = (store: { append: () => void }) => store.append();\n",
  },
  "a worker named by its file, which imports its owner": {
    "src/catalogue/row.ts": 'export const row = new URL("./row-thread.ts", import.meta.url);\n',
    "src/catalogue/row-thread.ts": 'import { row } from "./row.ts";\nexport const thread = row;\n',
  },
  "a type of a package that must not be loaded": {
    "src/desk/now.ts": 'import type { ZodType } from "zod";\nexport type Now = ZodType;\n',
  },
  "what is published beside src": {
    "bin/nomos.js": "",
    "src/catalogue/row.ts": 'export const row = new URL("../../bin/nomos.js", import.meta.url);\n',
  },
  "a deep import of a declared package": { "src/catalogue/row.ts": 'export * from "@scope/part/deep";\n' },
};
