import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TreeCopy } from "./copy-tree.ts";
import { withMutant } from "./instrument.ts";
import type { Mutant } from "./mutant.ts";
import type { SourceFile } from "./source-files.ts";

const run = promisify(execFile);
/** Unused names, unreachable code, comparisons that are always the same: a fault put in with care has none of them. */
const UNTIDY = new Set(["TS6133", "TS6192", "TS6196", "TS6198", "TS7027", "TS2367", "TS2869", "TS2872", "TS2873"]);
const OUTPUT_MAX = 64 * 1024 * 1024;
const CONFIG = "tsconfig.mutants.json";

/** The mutants that the compiler refuses. Each becomes a file beside the original, so one run checks them all. */
export async function refusedByTypes(
  plain: TreeCopy,
  files: readonly SourceFile[],
  mutants: readonly Mutant[],
): Promise<ReadonlySet<number>> {
  if (mutants.length === 0) return new Set();
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const paths = new Map<string, number>();
  for (const mutant of mutants) {
    const path = mutant.file.replace(/\.ts$/, `.mutant-${mutant.id}.ts`);
    await writeFile(join(plain.path, path), withMutant(texts.get(mutant.file) ?? "", mutant));
    paths.set(path, mutant.id);
  }
  const config = { extends: "./tsconfig.json", include: [], files: [...paths.keys()] };
  await writeFile(join(plain.path, CONFIG), JSON.stringify(config));
  return new Set((await filesWithErrors(plain.path)).flatMap((path) => paths.get(path) ?? []));
}

async function filesWithErrors(cwd: string): Promise<readonly string[]> {
  const tsc = join(cwd, "node_modules", ".bin", "tsc");
  const args = ["-p", CONFIG, "--pretty", "false"];
  const { stdout } = await run(tsc, args, { cwd, maxBuffer: OUTPUT_MAX }).catch((thrown: { stdout: string }) => thrown);
  const errors = [...stdout.matchAll(/^(\S+?)\(\d+,\d+\): error (TS\d+)/gm)];
  return errors.flatMap(([, file = "", code = ""]) => (UNTIDY.has(code) ? [] : [file]));
}
