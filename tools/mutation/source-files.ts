import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The sources that match, without their tests. Paths are relative to the root, in order. */
export function sourceFiles(root: string, patterns: readonly string[]): readonly SourceFile[] {
  return pathsOf(root, patterns)
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.endsWith(".generated.ts"))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

export function testFiles(root: string, patterns: readonly string[]): readonly string[] {
  return pathsOf(root, patterns).filter((path) => path.endsWith(".test.ts"));
}

function pathsOf(root: string, patterns: readonly string[]): readonly string[] {
  return [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root })))].toSorted();
}
