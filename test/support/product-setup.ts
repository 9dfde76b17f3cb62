import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { findBubblewrap } from "../../src/host/index.ts";
import { bundle } from "../../tools/bundle.ts";
import { bundleClient } from "../../tools/bundle-client.ts";
import { bundleWeb } from "../../tools/bundle-web.ts";
import { ENTRIES, EXTERNAL } from "../../tools/entries.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What the package holds beside dist/. */
const PUBLISHED = ["bin", "docs", "verifier", "package.json", "CHANGELOG.md"];
/** Inside the tree, where the bundle finds the dependencies. */
const PRODUCTS = join(ROOT, "node_modules", ".cache", "nomos-products");

/** Where vitest.config.ts has compiled code kept. */
const COMPILED = join(ROOT, "node_modules", ".cache", "nomos-compiled");
const OLD_MS = 3 * 86_400_000;

/**
 * Once per test run: the product as it is published, made from the present sources. It starts in half the time of the
 * checkout, and the tests prove what users get.
 */
export default async function setUp(): Promise<(() => void) | undefined> {
  if (process.env["NOMOS_TEST_BIN"] !== undefined) return undefined;
  const product = await makeProduct();
  process.env["NOMOS_TEST_BIN"] = join(product, "bin", "nomos.js");
  await tryBubblewrap(product);
  return () => {
    delete process.env["NOMOS_TEST_BIN"];
    delete process.env["NOMOS_TEST_BUBBLEWRAP"];
  };
}

/** Once for all daemons, each of which would else try it out in its new home. */
async function tryBubblewrap(product: string): Promise<void> {
  const { version }: { version: string } = JSON.parse(readFileSync(join(product, "package.json"), "utf8"));
  const file = join(product, "bubblewrap-works");
  await findBubblewrap(process.env["PATH"] ?? "", { file, version });
  if (existsSync(file)) process.env["NOMOS_TEST_BUBBLEWRAP"] = file;
}

/** Named by its content: equal sources give the same path, for which compiled code is kept already. */
async function makeProduct(): Promise<string> {
  mkdirSync(PRODUCTS, { recursive: true });
  for (const folder of [...readdirSync(PRODUCTS).map((name) => join(PRODUCTS, name)), COMPILED]) removeIfOld(folder);
  const made = mkdtempSync(join(PRODUCTS, "making-"));
  // Some tests start it as another user.
  chmodSync(made, 0o755);
  await bundle({ root: ROOT, outDir: join(made, "dist"), entries: ENTRIES, external: EXTERNAL });
  await bundleClient({ root: ROOT, outDir: join(made, "dist"), declarations: false });
  await bundleWeb({ root: ROOT, outDir: join(made, "dist") });
  for (const name of PUBLISHED) cpSync(join(ROOT, name), join(made, name), { recursive: true });
  const product = join(PRODUCTS, contentHash(made));
  if (existsSync(product)) rmSync(made, { recursive: true });
  else renameSync(made, product);
  return product;
}

/** Every change of the sources makes another product and other compiled code; both can be made again. */
function removeIfOld(folder: string): void {
  const madeMs = statSync(folder, { throwIfNoEntry: false })?.birthtimeMs ?? Number.POSITIVE_INFINITY;
  if (madeMs < Date.now() - OLD_MS) rmSync(folder, { recursive: true, force: true });
}

function contentHash(folder: string): string {
  const hash = createHash("sha256");
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted())
    if (path.includes(".")) hash.update(path).update(readFileSync(join(folder, path)));
  return hash.digest("hex").slice(0, 20);
}
