import { execFile } from "node:child_process";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseSync } from "oxc-parser";
import { type Bundled, bundle } from "./bundle.ts";
import { CLIENT_ENTRIES } from "./entries.ts";

export interface ClientBundleOptions {
  readonly root: string;
  /** The program's folder; the client gets its own in it. */
  readonly outDir: string;
  readonly declarations: boolean;
}

/** `nomos/client`: one bundle for browsers, one for Node, and the declarations of both. */
export async function bundleClient({ root, outDir, declarations }: ClientBundleOptions): Promise<Bundled> {
  const folder = join(outDir, "client");
  const bundled = await bundle({ root, outDir: folder, entries: CLIENT_ENTRIES });
  if (declarations) await declare(root, folder);
  return bundled;
}

const ENTRY = "connect";

/** The declarations that the entry reaches. The compiler writes them for every file it reads, such as the kernel's. */
async function declare(root: string, folder: string): Promise<void> {
  const made = await mkdtemp(join(folder, "making-"));
  const options = ["--ignoreConfig", "--declaration", "--emitDeclarationOnly", "--outDir", made, "--rootDir", "src"];
  const language = [
    "--target",
    "es2024",
    "--lib",
    "es2024,dom,dom.asynciterable",
    "--module",
    "nodenext",
    "--types",
    "",
  ];
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--allowImportingTsExtensions", "--skipLibCheck"];
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const args = [compiler, ...options, ...language, ...strict, CLIENT_ENTRIES.browser];
  await promisify(execFile)(process.execPath, args, { cwd: root }).catch(refuseOwn);
  const wanted = [ENTRY];
  for (const name of wanted) {
    const path = join(made, "client", `${name}.d.ts`);
    const text = await readFile(path, "utf8");
    for (const other of importedBy(path, text)) if (!wanted.includes(other)) wanted.push(other);
    await writeFile(path, text.replaceAll(/(from "\.\/[^"]+)\.ts"/g, '$1.js"'));
    await rename(path, join(folder, `${name === ENTRY ? "index" : name}.d.ts`));
  }
  await rm(made, { recursive: true });
}

/** The kernel's own declarations are not published, and not all of its types can be declared. */
function refuseOwn(failed: { readonly stdout?: string }): void {
  const lines = (failed.stdout ?? "").split("\n").filter((line) => line !== "");
  if (lines.length === 0 || lines.some((line) => !line.startsWith("src/kernel/"))) throw failed;
}

/** Names of files beside it; a declaration that leads elsewhere would be missing in the package. */
function importedBy(path: string, text: string): readonly string[] {
  const { staticImports, staticExports } = parseSync(path, text).module;
  const imported = staticImports.map(({ moduleRequest }) => moduleRequest.value);
  const exported = staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
  );
  return [...new Set([...imported, ...exported])].map((specifier) => {
    const [, name] = /^\.\/([\w.-]+)\.ts$/.exec(specifier) ?? [];
    if (name === undefined) throw new Error(`${path}: ${specifier} is no part of the published declarations`);
    return name;
  });
}
