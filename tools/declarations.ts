import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { parseSync } from "oxc-parser";

export interface DeclarationOptions {
  readonly root: string;
  /** Gets `index.d.ts` and the declarations beside it. */
  readonly folder: string;
  /** The entry, relative to `root`. */
  readonly entry: string;
  /** Libraries and type packages that it may name. */
  readonly lib: string;
  readonly types: string;
  /** Entrances of other rooms whose declarations are published elsewhere: specifier -> published specifier. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

/** Writes the declarations that the entry reaches. The compiler writes them for every file it reads, such as the kernel's. */
export async function writeDeclarations(options: DeclarationOptions): Promise<void> {
  const { folder, entry, elsewhere = {} } = options;
  await mkdir(folder, { recursive: true });
  const made = await mkdtemp(join(folder, "making-"));
  await compile(options, made);
  const first = basename(entry, ".ts");
  const wanted = [first];
  for (const name of wanted) {
    const path = join(made, dirname(entry).slice("src/".length), `${name}.d.ts`);
    const text = await readFile(path, "utf8");
    const others = importedBy(path, text).filter((specifier) => !Object.hasOwn(elsewhere, specifier));
    for (const other of others.map((specifier) => nameOf(path, specifier)))
      if (!wanted.includes(other)) wanted.push(other);
    await writeFile(path, published(text, elsewhere));
    await rename(path, join(folder, `${name === first ? "index" : name}.d.ts`));
  }
  await rm(made, { recursive: true });
}

async function compile({ root, entry, lib, types }: DeclarationOptions, outDir: string): Promise<void> {
  const output = ["--ignoreConfig", "--declaration", "--emitDeclarationOnly", "--outDir", outDir, "--rootDir", "src"];
  const language = ["--target", "es2024", "--lib", lib, "--module", "nodenext", "--types", types];
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--allowImportingTsExtensions", "--skipLibCheck"];
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  // The entry reaches the whole tree, which `npm run check` checks.
  const args = [compiler, ...output, ...language, ...strict, "--resolveJsonModule", "--noCheck", entry];
  await promisify(execFile)(process.execPath, args, { cwd: root }).catch((failed: { readonly stdout?: string }) => {
    const lines = (failed.stdout ?? "").split("\n").filter((line) => line !== "");
    // The declarations of other rooms are not published, and not all of their types can be declared.
    const isOthers = (line: string) => CANNOT_BE_NAMED.test(line) && !line.startsWith(`${dirname(entry)}/`);
    if (lines.length === 0 || !lines.every(isOthers)) throw failed;
  });
}

const CANNOT_BE_NAMED = /: error TS40\d\d: /;

function importedBy(path: string, text: string): readonly string[] {
  const { staticImports, staticExports } = parseSync(path, text).module;
  const imported = staticImports.map(({ moduleRequest }) => moduleRequest.value);
  const exported = staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
  );
  return [...new Set([...imported, ...exported])];
}

/** The name of a file beside it; a declaration that leads elsewhere would be missing in the package. */
function nameOf(path: string, specifier: string): string {
  const [, name] = /^\.\/([\w.-]+)\.ts$/.exec(specifier) ?? [];
  if (name === undefined) throw new Error(`${path}: ${specifier} is no part of the published declarations`);
  return name;
}

function published(text: string, elsewhere: Readonly<Record<string, string>>): string {
  const moved = Object.entries(elsewhere).reduce(
    (rest, [specifier, place]) => rest.replaceAll(`from "${specifier}"`, `from "${place}"`),
    text,
  );
  return moved.replaceAll(/(from "\.\/[^"]+)\.ts"/g, '$1.js"');
}
