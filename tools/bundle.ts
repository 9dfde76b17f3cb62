import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, posix, relative } from "node:path";
import { build, type PartialMessage, type Plugin } from "esbuild";
import { parseSync } from "oxc-parser";
import { findReferences } from "./module-references.ts";
import { type Edit, throughEntrances } from "./through-entrances.ts";

export interface BundleOptions {
  readonly root: string;
  /** Emptied first. Directly below `root`. */
  readonly outDir: string;
  /** Name in `outDir`, without extension -> source, relative to `root`. */
  readonly entries: Readonly<Record<string, string>>;
  /** The oldest Node that has to run it; Nomos's own when absent. */
  readonly target?: string;
  /** Packages that stay imports and are installed beside the bundle; all others become part of it. */
  readonly external?: readonly string[];
}

export interface Bundled {
  readonly outputs: readonly { readonly path: string; readonly bytes: number }[];
  /** Every file that it was made from, relative to `root`. */
  readonly inputs: readonly string[];
}

/** Published beside dist/ under the same path as in the repository. */
const PUBLISHED_FILES: ReadonlySet<string> = new Set(["bin/nomos.js", "package.json"]);

/** For Node these come as CommonJS, whose `require` of Node's own modules does not work in a bundle of ES modules. */
const MODULES: Readonly<Record<string, string>> = { yaml: "./node_modules/yaml/browser/index.js" };

/** The licences of the packages that became part of the bundle. */
const LICENCES = "LICENSES.txt";

export async function bundle(options: BundleOptions): Promise<Bundled> {
  const { root, outDir, entries, target = "node24", external = [] } = options;
  const missing = Object.values(entries).filter((source) => !existsSync(join(root, source)));
  if (missing.length > 0) throw new Error(`no such entry: ${missing.join(", ")} (see tools/entries.ts)`);
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  const assets = new Map<string, string>();
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.entries(entries).map(([out, source]) => ({ in: source, out })),
    outdir: outDir,
    chunkNames: "chunk-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target,
    external: [...external],
    alias: MODULES,
    legalComments: "none",
    metafile: true,
    logLevel: "silent",
    plugins: [placeUrls({ root, entries, assets })],
  });
  for (const [source, name] of assets) await copyFile(join(root, source), join(outDir, name));
  const inputs = [...Object.keys(metafile.inputs), ...assets.keys()];
  await writeLicences(root, outDir, inputs);
  const outputs = Object.entries(metafile.outputs).map(([path, { bytes }]) => ({ path, bytes }));
  return { outputs, inputs };
}

export async function writeLicences(root: string, outDir: string, inputs: readonly string[]): Promise<void> {
  const licences = await licencesOf(root, inputs);
  if (licences !== "") await writeFile(join(outDir, LICENCES), licences);
}

/** Of every package that one of the inputs belongs to. A package without a licence file cannot be published. */
async function licencesOf(root: string, inputs: readonly string[]): Promise<string> {
  const folders = new Set(inputs.flatMap((input) => PACKAGE_FOLDER.exec(input)?.[0] ?? []));
  const found = await Promise.all([...folders].sort().map((folder) => licenceIn(root, folder)));
  const texts = found.map(({ folder, origin, text }) => {
    // A repository with many packages may have put its licence into some of them only.
    const licence = text ?? found.find((other) => other.text !== null && other.origin === origin)?.text;
    if (licence == null) throw new Error(`${folder} has no licence file and cannot be part of the bundle`);
    return `${folder.split("node_modules/").at(-1)}\n\n${licence.trim()}\n`;
  });
  return texts.join(`\n${"-".repeat(72)}\n\n`);
}

/** `origin`: which repository it comes from, under which licence. */
async function licenceIn(root: string, folder: string) {
  const [file] = (await readdir(join(root, folder))).filter((name) => /^licen[cs]e/i.test(name));
  const { repository, license }: { repository?: { url?: string } | string; license?: string } = JSON.parse(
    await readFile(join(root, folder, "package.json"), "utf8"),
  );
  const url = typeof repository === "string" ? repository : repository?.url;
  const text = file === undefined ? null : await readFile(join(root, folder, file), "utf8");
  return { folder, origin: `${url ?? folder} ${license ?? ""}`, text };
}

const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

interface PlaceUrlsOptions {
  readonly root: string;
  readonly entries: Readonly<Record<string, string>>;
  /** Filled while bundling: source -> name in the output folder. */
  readonly assets: Map<string, string>;
}

function placeUrls({ root, entries, assets }: PlaceUrlsOptions): Plugin {
  const passEntrances = throughEntrances(root);
  const outOf = new Map(Object.entries(entries).map(([out, source]) => [source, out]));

  /** The file's path from dist/; null when it is not published. */
  const placeOf = (target: string): string | null => {
    if (PUBLISHED_FILES.has(target)) return `../${target}`;
    if (target.endsWith(".ts")) return outOf.has(target) ? `./${outOf.get(target)}.js` : null;
    if (!target.startsWith("src/") || target.endsWith("/") || !existsSync(join(root, target))) return null;
    const name = target.slice("src/".length).replaceAll("/", "-");
    assets.set(target, name);
    return `./${name}`;
  };

  const rewrite = (source: string, text: string): { readonly contents: string; readonly errors: PartialMessage[] } => {
    const parsed = parseSync(source, text);
    const urls = findReferences(parsed).filter(({ kind }) => kind === "url");
    const errors: PartialMessage[] = [];
    if (parsed.module.importMetas.length > urls.length) {
      errors.push({ text: `${source}: import.meta is for new URL("./x", import.meta.url) only (see tools/build.ts)` });
    }
    const placed = urls.map(({ specifier, start, end }): Edit => {
      const place = placeOf(posix.join(posix.dirname(source), specifier));
      if (place === null) errors.push({ text: `${source}: ${specifier} has no place in dist/ (see tools/entries.ts)` });
      return { start, end, text: JSON.stringify(place ?? specifier) };
    });
    return { contents: edited(text, [...placed, ...passEntrances(source, parsed)]), errors };
  };

  return {
    name: "place-urls",
    setup: (building) => {
      building.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = relative(root, path).replaceAll("\\", "/");
        return { ...rewrite(source, await readFile(path, "utf8")), loader: "ts" };
      });
    },
  };
}

/** From the end, so that earlier offsets stay valid. */
function edited(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((rest, edit) => rest.slice(0, edit.start) + edit.text + rest.slice(edit.end), text);
}
