import type { Layer } from "../../layers.ts";
import type { Files } from "../support/plant-tree.ts";
import type { RuleName } from "./inspect-tree.ts";

/** A small tree: core (pure) <- shelf <- page (browser), desk; desk launches roof, which imports all of them. */
export const HOUSE: readonly Layer[] = [
  { name: "core", dir: "src/core", level: 0, mayImport: [], runtime: "language", maxLines: 400, note: "" },
  {
    name: "shelf",
    dir: "src/shelf",
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
    mayImport: ["core", "shelf"],
    mayLaunch: ["roof"],
    runtime: "node",
    neverLoads: ["zod"],
    note: "",
  },
  { name: "roof", dir: "src/roof", level: 3, mayImport: ["core", "shelf", "page"], runtime: "node", note: "" },
];

/** A package that is published by itself, beside the house. */
const KIT: Layer = { name: "kit", dir: "packages/kit/src", level: 1, mayImport: [], runtime: "bare", note: "" };

/** The dashboard: two pages, and the room that they share. */
const WEB: Layer = { name: "web", dir: "web", level: 2, mayImport: ["core"], runtime: "browser", note: "" };
const DASHBOARD: Files = {
  "web/pages.ts": 'export const pages = [() => import("./now/now.tsx"), () => import("./old/old.tsx")];\n',
  "web/now/now.tsx": 'import { Row } from "../parts/index.ts";\nexport const View = Row;\n',
  "web/old/old.tsx": "export const View = 1;\n",
  "web/old/index.ts": 'export { View } from "./old.tsx";\n',
  "web/parts/index.ts": 'export { Row } from "./row.tsx";\n',
  "web/parts/row.tsx": "export const Row = 1;\n",
};

/** Keeps every rule; a planted case writes its files over it. */
export const SOUND: Files = {
  "GLOSSARY.md": "| **log** | Events. | ledger, journal, table |\n\n## Ordinary words\n\ntable.\n",
  "package.json": '{ "dependencies": { "zod": "1.0.0", "@scope/part": "1.0.0" } }',
  "test/support/oracle.ts": "export const oracle = 1;\n",
  "src/core/index.ts": 'export { fact } from "./fact.ts";\n',
  "src/core/fact.ts": "export const fact = 1;\n",
  "src/shelf/index.ts": 'import { fact } from "../core/index.ts";\nexport const shelf = fact;\n',
  "src/page/index.ts": 'import { fact } from "../core/index.ts";\nexport const page = fact;\n',
  "src/desk/index.ts":
    'import { shelf } from "../shelf/index.ts";\nexport const roof = async () => [shelf, await import("../roof/index.ts")];\n',
  "src/roof/index.ts": 'import { z } from "zod";\nexport const roof = z;\n',
};

export interface Planted {
  readonly files: Files;
  readonly layers?: readonly Layer[];
  /** The one file that must be reported. */
  readonly at: string;
}

const inFact = (text: string): Planted => ({ files: { "src/core/fact.ts": text }, at: "src/core/fact.ts" });
const inShelf = (text: string): Planted => ({
  files: { "src/shelf/row.ts": text },
  at: "src/shelf/row.ts",
});
const withTable = (change: Partial<Layer>): Planted => ({
  files: {},
  layers: HOUSE.map((layer) => (layer.name === "shelf" ? { ...layer, ...change } : layer)),
  at: "layers.ts",
});

const inDashboard = (at: string, text: string): Planted => ({
  files: { ...DASHBOARD, [at]: text },
  layers: [...HOUSE, WEB],
  at,
});

export const PLANTED: Readonly<Record<RuleName, readonly Planted[]>> = {
  "sound-table": [
    withTable({ mayImport: ["core", "desk"] }),
    withTable({ mayImport: ["core", "nobody"] }),
    withTable({ mayLaunch: ["core"] }),
    withTable({ mayLaunch: ["shelf"] }),
    withTable({ mayLaunch: ["nobody"] }),
  ],
  "known-layer": [
    { files: { "packages/kit/src/index.ts": "export const kit = 1;\n" }, at: "packages/kit/src/index.ts" },
    { files: { "src/attic/box.ts": "export const box = 1;\n" }, at: "src/attic/box.ts" },
    { files: { "src/loose.ts": "export const loose = 1;\n" }, at: "src/loose.ts" },
  ],
  "saw-files": [{ files: { "src/attic/readme.md": "empty" }, at: "src/attic" }],
  parses: [inShelf("export const = ;\n")],
  resolves: [
    inShelf('import "./gone.ts";\n'),
    inShelf('import type { A } from "./gone.ts";\nexport type B = A;\n'),
    inShelf('export const worker = new URL("./gone.ts", import.meta.url);\n'),
  ],
  "stays-in-src": [inShelf('import { oracle } from "../../test/support/oracle.ts";\nexport const row = oracle;\n')],
  direction: [
    {
      files: { "packages/kit/src/index.ts": 'export { fact } from "../../../src/core/index.ts";\n' },
      layers: [...HOUSE, KIT],
      at: "packages/kit/src/index.ts",
    },
    inShelf('import { page } from "../page/index.ts";\nexport const row = page;\n'),
    inShelf('import type { page } from "../page/index.ts";\nexport type Row = typeof page;\n'),
    inShelf('export type Row = typeof import("../page/index.ts");\n'),
    inShelf('export { page } from "../page/index.ts";\n'),
    inShelf('export * from "../page/index.ts";\n'),
    inShelf('export const row = () => import("../page/index.ts");\n'),
    inShelf('export const row = new URL("../page/index.ts", import.meta.url);\n'),
    { files: { "src/shelf/row.test.ts": 'import "../page/index.ts";\n' }, at: "src/shelf/row.test.ts" },
    {
      files: { "src/desk/now.ts": 'import type { roof } from "../roof/index.ts";\nexport type R = typeof roof;\n' },
      at: "src/desk/now.ts",
    },
  ],
  entrance: [
    inShelf('import { fact } from "../core/fact.ts";\nexport const row = fact;\n'),
    {
      files: {
        "src/roof/tile.ts": "export {};\n",
        "src/desk/now.ts": 'export const now = () => import("../roof/tile.ts");\n',
      },
      at: "src/desk/now.ts",
    },
  ],
  "pages-apart": [
    inDashboard("web/now/row.ts", 'export { View } from "../old/old.tsx";\n'),
    inDashboard("web/now/row.ts", 'import type { View } from "../old/index.ts";\nexport type Row = typeof View;\n'),
    inDashboard("web/now/deep/row.ts", 'export const row = () => import("../../old/old.tsx");\n'),
    inDashboard("web/now/now.test.ts", 'import "../old/old.tsx";\n'),
    inDashboard("web/parts/tab.ts", 'export { View } from "../old/index.ts";\n'),
    inDashboard("web/main.ts", 'import "./old/old.tsx";\n'),
    inDashboard("web/now/row.ts", 'export { Row } from "../parts/row.tsx";\n'),
  ],
  outside: [
    {
      files: { "packages/kit/src/index.ts": 'import { z } from "zod";\nexport const kit = z;\n' },
      layers: [...HOUSE, KIT],
      at: "packages/kit/src/index.ts",
    },
    inFact('import { sep } from "node:path";\nexport const fact = sep;\n'),
    inFact('import { part } from "@scope/part";\nexport const fact = part;\n'),
    inFact('export type Fact = import("zod").ZodType;\n'),
    {
      files: { "src/page/leaf.ts": 'import { sep } from "node:path";\nexport const leaf = sep;\n' },
      at: "src/page/leaf.ts",
    },
  ],
  "published-package": [
    inShelf('import { test } from "vitest";\nexport const row = test;\n'),
    inShelf('import { x } from "@scope/other/deep";\nexport const row = x;\n'),
    { files: { "src/shelf/row.test.ts": 'import "esbuild";\n' }, at: "src/shelf/row.test.ts" },
  ],
  "never-loads": [
    { files: { "src/desk/index.ts": 'import { z } from "zod";\nexport const desk = z;\n' }, at: "src/desk/index.ts" },
    {
      files: {
        "src/shelf/index.ts": 'export { shelf } from "./row.ts";\n',
        "src/shelf/row.ts": 'export { z as shelf } from "zod";\n',
      },
      at: "src/desk/index.ts",
    },
  ],
  "no-cycle": [
    { files: { "src/core/fact.ts": 'import "./index.ts";\nexport const fact = 1;\n' }, at: "src/core/fact.ts" },
    {
      files: {
        "src/shelf/a.ts": 'import type { B } from "./b.ts";\nexport type A = B;\n',
        "src/shelf/b.ts": 'import type { C } from "./c.ts";\nexport type B = C;\n',
        "src/shelf/c.ts": 'export type C = import("./a.ts").A;\n',
      },
      at: "src/shelf/a.ts",
    },
  ],
  "file-size": [
    inShelf("// a line\n".repeat(321)),
    { files: { "src/shelf/index.ts": "// a line\n".repeat(501) }, at: "src/shelf/index.ts" },
  ],
  "layer-size": [
    {
      files: { "src/core/a.ts": "// a line\n".repeat(300), "src/core/b.ts": "// a line\n".repeat(100) },
      at: "src/core",
    },
  ],
  "folder-size": [
    {
      files: {
        "src/shelf/low/a.ts": "// a line\n".repeat(300),
        "src/shelf/low/deep/b.ts": "// a line\n".repeat(151),
      },
      at: "src/shelf/low",
    },
  ],
  "plain-name": [
    { files: { "src/shelf/utils.ts": "export {};\n" }, at: "src/shelf/utils.ts" },
    { files: { "src/shelf/row-helpers.ts": "export {};\n" }, at: "src/shelf/row-helpers.ts" },
    { files: { "src/shelf/common/row.ts": "export {};\n" }, at: "src/shelf/common/row.ts" },
    { files: { "src/shelf/misc.test.ts": "export {};\n" }, at: "src/shelf/misc.test.ts" },
  ],
  "no-escape-hatch": [
    inShelf("export let row: any;\n"),
    inShelf("export const row = [] as readonly any[];\n"),
    inShelf("// @ts-ignore\nexport const row = 1;\n"),
    inShelf("// @ts-expect-error\nexport const row = 1;\n"),
    inShelf("/* @ts-nocheck */\nexport const row = 1;\n"),
    inShelf("// biome-ignore lint: because\nexport const row = 1;\n"),
  ],
  pure: [
    inFact("export const fact = Date.now();\n"),
    inFact("export const fact = Math.random();\n"),
    inFact('export const fact = Math["random"]();\n'),
    inFact("export const fact = new Date(0);\n"),
    inFact("export const fact = Date();\n"),
  ],
  "one-screen": [
    inShelf("export const row = () => console.log(1);\n"),
    inShelf('export const row = () => process.stdout.write("1");\n'),
    inShelf('export const row = () => process["stderr"].write("1");\n'),
    inShelf('export const row = (name: "stdout") => process[name];\n'),
    inShelf("const { stdout } = process;\nexport const row = stdout;\n"),
    inShelf("const { env, ...rest } = process;\nexport const row = [env, rest];\n"),
    inShelf("const other = process;\nexport const row = other;\n"),
    inShelf('import { stdout } from "node:process";\nexport const row = stdout;\n'),
    inShelf('import { writeSync } from "node:fs";\nexport const row = () => writeSync(1, "1");\n'),
    inShelf("export const row = (terminal: { rawOutput: unknown }) => terminal.rawOutput;\n"),
    ...['"\\u001b[2J"', "`\\x1b[2J`", '"/dev/tty"', '{ stdio: "inherit" }'].map((value) => ({
      files: { "src/cli/row.ts": `export const row = ${value};\n` },
      layers: [...HOUSE, { name: "cli", dir: "src/cli", level: 2, mayImport: [], runtime: "node" as const, note: "" }],
      at: "src/cli/row.ts",
    })),
  ],
  "folder-files": [
    {
      files: Object.fromEntries(
        Array.from({ length: 21 }, (_, n) => [`src/shelf/low/row-${n}.ts`, `export const row = ${n};\n`]),
      ),
      at: "src/shelf/low",
    },
  ],
  "function-size": [
    inShelf(`export function row() {\n${"  // a line\n".repeat(69)}}\n`),
    inShelf(`export const row = () => {\n${"  // a line\n".repeat(69)}};\n`),
    inShelf(`export const rows = { row() {\n${"  // a line\n".repeat(69)}} };\n`),
    // The name of a factory, and nothing in it that a factory returns.
    inShelf(`export function createRow() {\n${"  // a line\n".repeat(69)}}\n`),
    inShelf(`export function openRow() {\n${"  // a line\n".repeat(118)}  return () => 1;\n}\n`),
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
    inShelf("export const row = (committer: Committer) => committer.change(System, '', () => [1], by);\n"),
    inShelf("export const row = (committer: Committer) => committer.session(id, (state) => [state], by);\n"),
    inShelf("export const row = (committer: Committer) => committer.commit([{ of, decide: () => [1] }], by);\n"),
    inShelf("export const row = (own: Own) => own.change(() => [1], by);\n"),
  ],
  "one-commit": [
    inShelf("export const row = (store: { append: () => void }) => store.append();\n"),
    inShelf("export const row = (deps: { store: { erase: () => void } }) => deps.store.erase;\n"),
    inShelf('export const row = (log: { append: () => void }) => log["append"]();\n'),
    inShelf("export const row = ({ append }: { append: () => void }) => append();\n"),
  ],
  "glossary-word": [
    { files: { "src/shelf/open-ledger.ts": "export {};\n" }, at: "src/shelf/open-ledger.ts" },
    inShelf("export const rowJournal = 1;\n"),
    inShelf("export interface LedgerRow {\n  readonly n: number;\n}\n"),
  ],
};

/** Looks like a violation and is allowed. */
export const ALLOWED: Readonly<Record<string, Files>> = {
  "an ordinary word, a word of ours, and any word in a name that stays inside": {
    "src/shelf/table.ts": "const ledger = 1;\nexport const logTable = ledger;\n",
  },
  "a test uses the test tools, Node, its supports and everything below": {
    "src/core/fact.test.ts":
      'import "vitest";\nimport "fast-check";\nimport "node:fs";\nimport "../../test/support/oracle.ts";\n',
    "src/desk/desk.test.ts": 'import "../core/fact.ts";\nimport "../shelf/index.ts";\n',
  },
  "a test may be long": { "src/shelf/row.test.ts": "// a line\n".repeat(400) },
  "two folders of one layer that are within their limit": {
    "src/shelf/low/a.ts": "// a line\n".repeat(300),
    "src/shelf/low/b.ts": "// a line\n".repeat(150),
    "src/shelf/high/a.ts": "// a line\n".repeat(300),
    "src/shelf/low/a.test.ts": "// a line\n".repeat(300),
  },
  "20 files in a folder, beside their tests": Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [
      [`src/shelf/low/row-${n}.ts`, `export const row = ${n};\n`],
      [`src/shelf/low/row-${n}.test.ts`, "export {};\n"],
    ]).flat(),
  ),
  "a function of 70 lines, a factory of 120, and a long function in a test": {
    "src/shelf/row.ts": `export function row() {\n${"  // a line\n".repeat(68)}}\n`,
    "src/shelf/open-row.ts": `export function openRow() {\n${"  // a line\n".repeat(117)}  return () => 1;\n}\n`,
    "src/shelf/row.test.ts": `export function row() {\n${"  // a line\n".repeat(200)}}\n`,
  },
  "an export that only a test beside src takes, and export * in a file that is no entrance": {
    "src/core/index.ts": 'export { fact, other } from "./fact.ts";\n',
    "src/core/fact.ts": "export const fact = 1;\nexport const other = 2;\n",
    "test/other.ts": 'import { other } from "../src/core/index.ts";\nexport const there = other;\n',
    "src/shelf/row.ts": 'export * from "./open-row.ts";\n',
    "src/shelf/open-row.ts": "export const openRow = 1;\n",
  },
  "a change by a named decision, and an empty list that is no change": {
    "src/shelf/row.ts":
      "export const row = (committer: C) => committer.change(System, '', (state) => note(state), by);\nexport const none = read().catch(() => []);\n",
  },
  "a file of 320 lines": { "src/shelf/row.ts": "// a line\n".repeat(320) },
  "the words any, Date.now and import in text": {
    "src/core/fact.ts": "export const fact = \"any Date.now() import('zod')\"; // any new Date( @ts\n",
  },
  "a process that printed, and the environment of this one": {
    "src/shelf/row.ts":
      "const { env } = process;\nexport const row = (ran: { stdout: string }) => [ran.stdout, env, process.pid];\n",
  },
  "an erasure by the committer, and an append in a test": {
    "src/shelf/row.ts": "export const row = (committer: { erase: () => void }) => committer.erase();\n",
    "src/shelf/row.test.ts": "export const row = (store: { append: () => void }) => store.append();\n",
  },
  "a worker named by its file, which imports its owner": {
    "src/shelf/row.ts": 'export const row = new URL("./row-thread.ts", import.meta.url);\n',
    "src/shelf/row-thread.ts": 'import { row } from "./row.ts";\nexport const thread = row;\n',
  },
  "a type of a package that must not be loaded": {
    "src/desk/now.ts": 'import type { ZodType } from "zod";\nexport type Now = ZodType;\n',
  },
  "what is published beside src": {
    "bin/nomos.js": "",
    "src/shelf/row.ts": 'export const row = new URL("../../bin/nomos.js", import.meta.url);\n',
  },
  "a deep import of a declared package": { "src/shelf/row.ts": 'export * from "@scope/part/deep";\n' },
};
