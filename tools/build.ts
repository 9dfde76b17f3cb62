/**
 * `npm run build`: bundles src/ into dist/, which the published package runs.
 *
 * Code that needs another file at run time (a worker thread, a child program, an asset) must name it literally,
 * as `new URL("./writer-thread.ts", import.meta.url)`. In a checkout that is the file itself. The build rewrites it,
 * so that the same line works in the bundle:
 * - a `.ts` file must be listed in entries.ts and becomes its own bundle, `./writer-thread.js`;
 * - any other file of src/ is copied beside the bundles, under its path with dashes;
 * - bin/nomos.js and package.json are published unchanged and keep their paths.
 * dist/ is one flat folder, so `import.meta.url` is right in every chunk. Any other use of `import.meta` in src/ is an
 * error, because it would silently mean another place in the bundle.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./bundle.ts";
import { ENTRIES, EXTERNAL } from "./entries.ts";

const root = join(import.meta.dirname, "..");

if (existsSync(join(root, ENTRIES.cli))) {
  const written = await bundle({ root, outDir: join(root, "dist"), entries: ENTRIES, external: EXTERNAL });
  for (const { path, bytes } of written) console.log(`${path} ${Math.ceil(bytes / 1024)} KiB`);
} else {
  console.log(`nothing to build yet: there is no ${ENTRIES.cli}`);
}
