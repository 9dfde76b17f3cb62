import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync } from "oxc-parser";
import { findReferences } from "../module-references.ts";

const SOURCES = "{src,test,tools,packages,bench}/**/*.ts";

/** File -> the files that name it: by an import of any kind, or as a thread or child program. */
export function readImporters(root: string): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const path of globSync(SOURCES, { cwd: root, exclude: ["**/node_modules/**"] }))
    for (const named of namedBy(root, path)) {
      const known = importers.get(named);
      if (known === undefined) importers.set(named, [path]);
      else known.push(path);
    }
  return importers;
}

function namedBy(root: string, path: string): readonly string[] {
  const references = findReferences(parseSync(path, readFileSync(join(root, path), "utf8")));
  return references.flatMap(({ specifier }) =>
    specifier.startsWith(".") ? [posix.join(posix.dirname(path), specifier)] : [],
  );
}

/** How many imports lie between a file and the nearest of `changed`; a file that reaches none is absent. */
export function distancesFrom(
  changed: readonly string[],
  importers: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const distances = new Map(changed.map((path) => [path, 0]));
  for (const [path, distance] of distances)
    for (const importer of importers.get(path) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  return distances;
}
