import { chmod, cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { instrument, SWITCH_FILE } from "./instrument.ts";
import type { Mutant } from "./mutant.ts";
import type { SourceFile } from "./source-files.ts";

export const RUNNER_FILE = "mutant-runner.ts";
const PARTS = [
  ...["bin", "docs", "layers.ts", "package.json", "packages", "src", "test", "tools", "verifier", "web"],
  // A part of the product, which tests with daemons are run on.
  "CHANGELOG.md",
];
const CONFIGS = [
  "tsconfig.base.json",
  "tsconfig.json",
  "tsconfig.kernel.json",
  "tsconfig.client.json",
  "tsconfig.web.json",
  "vitest.config.ts",
];

export interface TreeCopy extends AsyncDisposable {
  readonly path: string;
}

/** A copy of the tree to change at will: the user's own is never written to. */
export async function copyTree(root: string): Promise<TreeCopy> {
  const path = await mkdtemp(join(tmpdir(), "nomos-mutation-"));
  // Some tests start its code as another user.
  await chmod(path, 0o755);
  for (const part of [...PARTS, ...CONFIGS]) await cp(join(root, part), join(path, part), { recursive: true });
  await symlink(join(root, "node_modules"), join(path, "node_modules"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Puts all mutants into the copy, switched off. */
export async function instrumentCopy(
  copy: TreeCopy,
  files: readonly SourceFile[],
  mutants: readonly Mutant[],
): Promise<void> {
  const byFile = Map.groupBy(mutants, ({ file }) => file);
  for (const { path, text } of files)
    await writeFile(join(copy.path, path), instrument(path, text, byFile.get(path) ?? []));
  for (const name of [SWITCH_FILE, RUNNER_FILE])
    await cp(join(import.meta.dirname, "in-copy", name), join(copy.path, name));
}
