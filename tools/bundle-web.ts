import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { type Bundled, writeLicences } from "./bundle.ts";
import { WEB_ENTRY, WEB_WORKERS } from "./entries.ts";

const COMPRESSED = /\.(?:js|css|html|svg|webmanifest)$/;

/** The dashboard in `web/` of the program's folder: one document, hashed files below `assets/`, each also compressed. */
export async function bundleWeb({
  root,
  outDir,
}: {
  readonly root: string;
  readonly outDir: string;
}): Promise<Bundled> {
  const folder = join(outDir, "web");
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "assets"), { recursive: true });
  const common = optionsFor(root, folder);
  const workers = await build({ ...common, entryPoints: { ...WEB_WORKERS }, splitting: true });
  const paths = Object.fromEntries(
    Object.keys(WEB_WORKERS).map((name) => [name, outputOf(workers.metafile, name, ".js")]),
  );
  const page = await build({
    ...common,
    entryPoints: { main: WEB_ENTRY },
    splitting: true,
    define: { NOMOS_WORKERS: JSON.stringify(paths) },
  });
  const document = (await readFile(join(root, "web/index.html"), "utf8"))
    .replace(/^.*%STYLE%.*\n/m, (line) =>
      stylesOf(page.metafile)
        .map((style) => line.replace("%STYLE%", style))
        .join(""),
    )
    .replace("%SCRIPT%", outputOf(page.metafile, "main", ".js"));
  await writeFile(join(folder, "index.html"), document);
  for (const name of await readdir(join(root, "web/public")))
    await copyFile(join(root, "web/public", name), join(folder, "assets", name));
  const inputs = [workers, page].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  await writeLicences(root, folder, inputs);
  await compressAll(folder);
  const outputs = [workers, page].flatMap(({ metafile }) =>
    Object.entries(metafile.outputs).map(([path, { bytes }]) => ({ path, bytes })),
  );
  return { outputs, inputs };
}

function optionsFor(root: string, folder: string): BuildOptions & { readonly metafile: true } {
  return {
    absWorkingDir: root,
    outdir: folder,
    entryNames: "assets/[name]-[hash]",
    chunkNames: "assets/[name]-[hash]",
    bundle: true,
    format: "esm",
    platform: "browser",
    target: ["chrome123", "firefox121", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "silent",
    tsconfigRaw: {},
  };
}

/** The path under which a browser asks for an entry's file. */
function outputOf({ outputs }: Metafile, entry: string, extension: string): string {
  const wanted = new RegExp(`^${entry}-[A-Z0-9]+\\${extension}$`);
  const found = Object.keys(outputs).find((path) => wanted.test(basename(path)));
  if (found === undefined) throw new Error(`the dashboard has no ${entry}${extension}`);
  return `/assets/${basename(found)}`;
}

/** Every page's style, the frame's first: they are small, and a page that is loaded later finds its own. */
function stylesOf(metafile: Metafile): readonly string[] {
  const first = outputOf(metafile, "main", ".css");
  const all = Object.keys(metafile.outputs).flatMap((path) =>
    path.endsWith(".css") ? `/assets/${basename(path)}` : [],
  );
  return [first, ...all.filter((path) => path !== first).sort()];
}

async function compressAll(folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => COMPRESSED.test(name));
  await Promise.all(
    files.map(async (name) => {
      const bytes = await readFile(join(folder, name));
      await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(bytes));
      await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}
