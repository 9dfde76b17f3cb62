/**
 * `npm run docs`: writes the generated files (reference pages, the client's types and manifest).
 * `npm run docs -- --check` writes nothing and exits with 1 when one is stale.
 */
import { join } from "node:path";
import { staleFiles, writeGenerated } from "./generate/generated-files.ts";

const root = join(import.meta.dirname, "..");

if (process.argv.includes("--check")) {
  const stale = await staleFiles(root);
  for (const path of stale) console.error(`${path} is stale: run \`npm run docs\``);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const path of await writeGenerated(root)) console.log(path);
}
