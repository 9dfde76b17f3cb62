import { posix } from "node:path";
import type { Layer } from "../../layers.ts";
import { findLoops } from "./find-loops.ts";
import type { Finding, Rule } from "./rule.ts";
import type { Link, SourceFile, SourceTree } from "./source-tree.ts";

/** Files outside src that are published too. */
const PUBLISHED_FILES: ReadonlySet<string> = new Set(["package.json", "bin/nomos.js"]);

/** Packages that tests may use although they are not published. */
const TEST_PACKAGES: ReadonlySet<string> = new Set(["vitest", "fast-check"]);

export const resolves: Rule = (tree) =>
  eachFileLink(tree, ({ link, path }) =>
    tree.exists(path) ? [] : [`${link.specifier} leads to ${path}, which does not exist`],
  );

export const staysInSrc: Rule = (tree) =>
  eachFileLink(tree, ({ file, path }) => {
    const isSupport = file.isTest && path.startsWith("test/");
    const isSource = path.startsWith("src/") || tree.byPath.has(path);
    const isStyle = path.endsWith(".css") && file.layer !== null && path.startsWith(`${file.layer.dir}/`);
    const stays = isSource || isStyle || PUBLISHED_FILES.has(path) || path === ownManifest(file) || isSupport;
    return stays ? [] : [`${path} is not part of what is published`];
  });

/** A package that is published by itself names its own manifest. */
function ownManifest({ layer }: SourceFile): string | null {
  return layer?.runtime === "bare" ? posix.join(layer.dir, "../package.json") : null;
}

/** Down, by the table. A test may look at everything below its own layer. */
export const direction: Rule = (tree) =>
  eachCrossing(tree, ({ file, from, to, link }) => {
    const launches = link.kind === "dynamic" && (from.mayLaunch ?? []).includes(to.name);
    const below = file.isTest && to.level < from.level;
    return from.mayImport.includes(to.name) || launches || below ? [] : [`${from.name} may not import ${to.name}`];
  });

export const entrance: Rule = (tree) =>
  eachCrossing(tree, ({ file, to, path }) =>
    file.isTest || path === `${to.dir}/index.ts`
      ? []
      : [`${path} is inside ${to.name}; its one entrance is ${to.dir}/index.ts`],
  );

export const outside: Rule = (tree) =>
  eachLink(tree, ({ file, link: { target } }) => {
    const runtime = file.layer?.runtime ?? "node";
    if (file.isTest || runtime === "node" || target.at === "file") return [];
    if (runtime === "browser" && target.at === "package") return [];
    if (runtime === "bare" && target.at === "node") return [];
    return [`${file.layer?.name} lives in the ${runtime} alone, where there is no ${target.name}`];
  });

export const publishedPackage: Rule = (tree) =>
  eachLink(tree, ({ file, link: { target } }) => {
    if (target.at !== "package" || tree.dependencies.has(target.name)) return [];
    if (file.layer?.bundles?.includes(target.name) === true) return [];
    if (file.isTest && TEST_PACKAGES.has(target.name)) return [];
    return [`${target.name} is not among the dependencies of package.json`];
  });

/** Follows what is loaded at the start, across layers; types are erased and an `import()` loads later. */
export const neverLoads: Rule = (tree) => {
  const loads = (path: string): readonly Link[] =>
    (tree.byPath.get(path)?.links ?? []).filter((link) => link.kind === "import");
  return sourcesOf(tree).flatMap(({ path, layer }) => {
    const banned = new Set(layer?.neverLoads ?? []);
    if (banned.size === 0) return [];
    const reached = reachable(path, (at) =>
      loads(at).flatMap(({ target }) => (target.at === "file" ? target.path : [])),
    );
    return reached.flatMap((at) =>
      loads(at)
        .filter(({ target }) => target.at === "package" && banned.has(target.name))
        .map(({ specifier, line }) => finding(path, null, `loads ${specifier} at start, by ${at}:${line}`)),
    );
  });
};

/**
 * Types count too: two files that name each other cannot be understood apart. Naming a worker's file does not load it.
 */
export const noCycle: Rule = (tree) =>
  findLoops(
    tree.files.map((file) => file.path),
    (path) =>
      (tree.byPath.get(path)?.links ?? []).flatMap(({ kind, target }) =>
        kind !== "url" && target.at === "file" && tree.byPath.has(target.path) ? target.path : [],
      ),
  ).map((loop) => finding(loop[0] ?? "src", null, `imports itself: ${loop.join(" -> ")} -> ${loop[0]}`));

interface LinkAt {
  readonly file: SourceFile;
  readonly link: Link;
}

interface FileLinkAt extends LinkAt {
  readonly path: string;
}

interface Crossing extends FileLinkAt {
  readonly from: Layer;
  readonly to: Layer;
}

function eachLink(tree: SourceTree, judge: (at: LinkAt) => readonly string[]): readonly Finding[] {
  return tree.files.flatMap((file) =>
    file.links.flatMap((link) => judge({ file, link }).map((message) => finding(file.path, link.line, message))),
  );
}

function eachFileLink(tree: SourceTree, judge: (at: FileLinkAt) => readonly string[]): readonly Finding[] {
  return eachLink(tree, (at) => (at.link.target.at === "file" ? judge({ ...at, path: at.link.target.path }) : []));
}

function eachCrossing(tree: SourceTree, judge: (at: Crossing) => readonly string[]): readonly Finding[] {
  return eachFileLink(tree, (at) => {
    const from = at.file.layer;
    const to = tree.layers.find((layer) => at.path.startsWith(`${layer.dir}/`));
    return from && to && from !== to ? judge({ ...at, from, to }) : [];
  });
}

function sourcesOf(tree: SourceTree): readonly SourceFile[] {
  return tree.files.filter((file) => !file.isTest);
}

function reachable(start: string, next: (path: string) => readonly string[]): readonly string[] {
  const seen = new Set([start]);
  for (const path of seen) for (const further of next(path)) seen.add(further);
  return [...seen];
}

function finding(file: string, line: number | null, message: string): Finding {
  return { file, line, message };
}
