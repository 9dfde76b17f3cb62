/** After `npm ci` in a checkout: makes dist/, which starts faster than the sources. See built-from.ts. */
import { existsSync } from "node:fs";
import { join } from "node:path";

const isPacking = ["pack", "publish"].includes(process.env["npm_command"] ?? "");
// Without the development tools (`npm ci --omit=dev`) the sources run. A package is built by its own script.
if (!isPacking && existsSync(join(import.meta.dirname, "../node_modules/esbuild"))) await import("./build.ts");
