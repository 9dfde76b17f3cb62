/**
 * `npm run build`: bundles src/ into dist/, which the published package runs.
 *
 * Code that needs another file at run time (a worker thread, a child program, an asset) must name it literally,
 * as `new URL("./writer-thread.ts", import.meta.url)`. In a checkout that is the file itself. The build rewrites it,
 * so that the same line works in the bundle:
 * - a `.ts` file must be listed in entries.ts and becomes its own bundle, `./writer-thread.js`;
 * - any other file of src/ is copied beside the bundles, under its path with dashes;
 * - bin/nomos.js and package.json are published unchanged and keep their paths.
 * An import by the entrance of a room names the file behind it, so that taking one function does not load the room.
 * dist/ is one flat folder, so `import.meta.url` is right in every chunk. Any other use of `import.meta` in src/ is an
 * error, because it would silently mean another place in the bundle.
 */
import { join } from "node:path";
import { noteSources } from "./built-from.ts";
import { bundle } from "./bundle.ts";
import { bundleClient } from "./bundle-client.ts";
import { bundleWeb } from "./bundle-web.ts";
import { writeDeclarations } from "./declarations.ts";
import { EMBED_DECLARATIONS, ENTRIES, EXTERNAL, TOOL_DECLARATIONS } from "./entries.ts";

const root = join(import.meta.dirname, "..");
const outDir = join(root, "dist");
const startedMs = Date.now();

const program = await bundle({ root, outDir, entries: ENTRIES, external: EXTERNAL });
const client = await bundleClient({ root, outDir, declarations: true });
const lib = "es2024,esnext.disposable";
await writeDeclarations({ root, folder: join(outDir, "embed"), ...EMBED_DECLARATIONS, lib, types: "node" });
await writeDeclarations({ root, folder: join(outDir, "tool"), ...TOOL_DECLARATIONS, lib, types: "node" });
const web = await bundleWeb({ root, outDir });
await noteSources(root, outDir, [...new Set([...program.inputs, ...client.inputs])], startedMs);
const outputs = [...program.outputs, ...client.outputs, ...web.outputs];
const bytes = outputs.reduce((sum, output) => sum + output.bytes, 0);
// Standard error: `npm pack --json` prints its answer on standard output.
console.error(`dist/: ${outputs.length} files, ${Math.ceil(bytes / 1024)} KiB`);
