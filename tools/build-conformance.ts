/** Bundles packages/aip46-conformance for everybody who has no Nomos: plain JavaScript, no dependency, Node 20 or newer. */
import { join } from "node:path";
import { bundle } from "./bundle.ts";

const root = join(import.meta.dirname, "../packages/aip46-conformance");
const entries = { cli: "src/main.ts", "memory-agent": "src/memory-agent.ts" };

const { outputs } = await bundle({ root, outDir: join(root, "dist"), entries, target: "node20" });
// Standard error: `npm pack --json` prints its answer on standard output.
for (const { path, bytes } of outputs) console.error(`${path} ${Math.ceil(bytes / 1024)} KiB`);
