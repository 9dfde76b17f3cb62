import type { Layer } from "../../layers.ts";
import { decidedChange, oneCommit } from "./commit-rule.ts";
import { namedExports, usedExports } from "./entrance-rules.ts";
import { fileSize, folderSize, layerSize, noEscapeHatch, parses, plainName, pure } from "./file-rules.ts";
import {
  direction,
  entrance,
  neverLoads,
  noCycle,
  outside,
  publishedPackage,
  resolves,
  staysInSrc,
} from "./import-rules.ts";
import { pagesApart } from "./page-rule.ts";
import type { Finding, Rule } from "./rule.ts";
import { oneScreen } from "./screen-rule.ts";
import { folderFiles, functionSize } from "./size-rules.ts";
import { readSourceTree, type SourceTree } from "./source-tree.ts";
import { glossaryWord } from "./word-rule.ts";

export interface Violation extends Finding {
  readonly rule: RuleName;
}

export type RuleName = keyof typeof RULES;

/** All places where the tree under `root` breaks the table or the house rules. Read-only. */
export function inspectTree(root: string, layers: readonly Layer[]): readonly Violation[] {
  const tree = readSourceTree(root, layers);
  return ruleNames().flatMap((rule) => RULES[rule](tree).map((finding) => ({ rule, ...finding })));
}

export function ruleNames(): readonly RuleName[] {
  return Object.keys(RULES).filter((name): name is RuleName => name in RULES);
}

const RULES = {
  "sound-table": soundTable,
  "known-layer": knownLayer,
  "saw-files": sawFiles,
  parses,
  resolves,
  "stays-in-src": staysInSrc,
  direction,
  entrance,
  "pages-apart": pagesApart,
  outside,
  "published-package": publishedPackage,
  "never-loads": neverLoads,
  "no-cycle": noCycle,
  "file-size": fileSize,
  "layer-size": layerSize,
  "folder-size": folderSize,
  "folder-files": folderFiles,
  "function-size": functionSize,
  "named-exports": namedExports,
  "used-exports": usedExports,
  "plain-name": plainName,
  "no-escape-hatch": noEscapeHatch,
  pure,
  "one-screen": oneScreen,
  "one-commit": oneCommit,
  "glossary-word": glossaryWord,
  "decided-change": decidedChange,
} satisfies Record<string, Rule>;

/** The table itself: each name once, imports point down, and a launch is of a layer that is not imported anyway. */
function soundTable({ layers }: SourceTree): readonly Finding[] {
  const say = (message: string): Finding => ({ file: "layers.ts", line: null, message });
  const byName = new Map(layers.map((layer) => [layer.name, layer]));
  const repeated = byName.size === layers.length ? [] : [say("a layer is named twice")];
  const misplaced = layers.flatMap((layer) => [
    ...layer.mayImport
      .filter((name) => (byName.get(name)?.level ?? Number.POSITIVE_INFINITY) >= layer.level)
      .map((name) => say(`${layer.name} may import ${name}, which does not stand below it`)),
    ...(layer.mayLaunch ?? [])
      .filter((name) => !byName.has(name) || name === layer.name || layer.mayImport.includes(name))
      .map((name) => say(`${layer.name} may launch ${name}, which is no layer that it does not import`)),
  ]);
  return [...repeated, ...misplaced];
}

function knownLayer({ files }: SourceTree): readonly Finding[] {
  const strangers = files.filter((file) => file.layer === null);
  return strangers.map(({ path }) => ({ file: path, line: null, message: "stands in no layer of layers.ts" }));
}

/** An empty tree would pass every rule: src and each of its folders must hold files. */
function sawFiles({ files, rooms }: SourceTree): readonly Finding[] {
  if (files.length === 0) return [{ file: "src", line: null, message: "holds no TypeScript file" }];
  const empty = rooms.filter((room) => !files.some((file) => !file.isTest && file.path.startsWith(`${room}/`)));
  return empty.map((room) => ({ file: room, line: null, message: "is a room without a source file" }));
}
