import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { type ParseResult, parseSync } from "oxc-parser";
import type { Layer } from "../../layers.ts";
import { findReferences, type Reference } from "../../tools/module-references.ts";
import { readAvoidedWords } from "./word-rule.ts";

export interface SourceTree {
  readonly layers: readonly Layer[];
  readonly files: readonly SourceFile[];
  readonly byPath: ReadonlyMap<string, SourceFile>;
  /** The folders directly under src, relative to the root. */
  readonly rooms: readonly string[];
  /** npm packages that the published package depends on. */
  readonly dependencies: ReadonlySet<string>;
  readonly exists: (path: string) => boolean;
  /** Words that GLOSSARY.md forbids in names. */
  readonly avoidedWords: ReadonlySet<string>;
  /** By file: the names that files outside of its layer import from it, tests and tools among them. */
  readonly takenFrom: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Stands for all names of a module that is loaded as a whole, by `import()` or `import *`. */
export const EVERYTHING = "*";

/** Folders beside src whose files import from it. */
const BESIDE = ["test", "tools", "bench"];

export interface SourceFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly layer: Layer | null;
  readonly isTest: boolean;
  readonly lineCount: number;
  readonly parsed: ParseResult;
  readonly links: readonly Link[];
  readonly lineAt: (offset: number) => number;
}

/** A reference and the file it leads to. */
export interface Link extends Reference {
  readonly line: number;
  readonly target: Target;
}

export type Target =
  | { readonly at: "file"; readonly path: string }
  | { readonly at: "package"; readonly name: string }
  | { readonly at: "node"; readonly name: string };

export function readSourceTree(root: string, layers: readonly Layer[]): SourceTree {
  const paths = globSync("{src,packages/*/src,web}/**/*.{ts,tsx}", { cwd: root }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  const files = paths.sort().map((path) => readSourceFile(root, path, layers));
  return {
    layers,
    files,
    byPath: new Map(files.map((file) => [file.path, file])),
    rooms: foldersOf(root),
    dependencies: readDependencies(root),
    exists: (path) => existsSync(join(root, path)),
    avoidedWords: readAvoidedWords(root),
    takenFrom: findTaken([...files, ...readBeside(root)]),
  };
}

function readSourceFile(root: string, path: string, layers: readonly Layer[]): SourceFile {
  const text = readFileSync(join(root, path), "utf8");
  const parsed = parseSync(path, text);
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  return {
    path,
    layer: layers.find((layer) => path.startsWith(`${layer.dir}/`)) ?? null,
    isTest: path.endsWith(".test.ts"),
    lineCount: text.replace(/\n$/, "").split("\n").length,
    parsed,
    links: findReferences(parsed).map((reference) => ({
      ...reference,
      line: lineAt(reference.start),
      target: resolveTarget(path, reference),
    })),
    lineAt,
  };
}

type Importer = Pick<SourceFile, "path" | "layer" | "parsed" | "links">;

function readBeside(root: string): readonly SourceFile[] {
  const paths = globSync(
    BESIDE.map((folder) => `${folder}/**/*.ts`),
    { cwd: root },
  );
  return paths.map((path) => readSourceFile(root, path.replaceAll("\\", "/"), []));
}

function findTaken(importers: readonly Importer[]): ReadonlyMap<string, ReadonlySet<string>> {
  const taken = new Map<string, Set<string>>();
  const take = ({ path, layer }: Importer, specifier: string, name: string): void => {
    const target = posix.join(posix.dirname(path), specifier);
    if (!specifier.startsWith(".") || (layer !== null && target.startsWith(`${layer.dir}/`))) return;
    const names = taken.get(target) ?? new Set();
    taken.set(target, names.add(name));
  };
  for (const importer of importers) {
    const { staticImports, staticExports } = importer.parsed.module;
    for (const { moduleRequest, entries } of staticImports)
      for (const { importName } of entries) take(importer, moduleRequest.value, importName.name ?? EVERYTHING);
    for (const { entries } of staticExports)
      for (const { moduleRequest, importName } of entries)
        if (moduleRequest !== null) take(importer, moduleRequest.value, importName.name ?? EVERYTHING);
    for (const { kind, specifier } of importer.links)
      if (kind === "dynamic" && importer.layer !== null) take(importer, specifier, EVERYTHING);
  }
  return taken;
}

function resolveTarget(from: string, { kind, specifier }: Reference): Target {
  if (kind === "url" || specifier.startsWith(".")) {
    return { at: "file", path: posix.join(posix.dirname(from), specifier) };
  }
  if (specifier.startsWith("node:")) return { at: "node", name: specifier };
  const [scope = "", name = ""] = specifier.split("/");
  return { at: "package", name: scope.startsWith("@") ? `${scope}/${name}` : scope };
}

function foldersOf(root: string): readonly string[] {
  if (!existsSync(join(root, "src"))) return [];
  const entries = readdirSync(join(root, "src"), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => `src/${entry.name}`);
}

function readDependencies(root: string): ReadonlySet<string> {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
  const kinds = isRecord(manifest) ? [manifest["dependencies"], manifest["optionalDependencies"]] : [];
  return new Set(kinds.flatMap((declared) => (isRecord(declared) ? Object.keys(declared) : [])));
}
