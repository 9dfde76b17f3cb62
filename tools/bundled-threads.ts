import { dirname, join, posix, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { parseSync } from "oxc-parser";
import { ENTRIES } from "./entries.ts";
import { findReferences } from "./module-references.ts";

const ROOT = join(import.meta.dirname, "..");
const NAME_OF: ReadonlyMap<string, string> = new Map(Object.entries(ENTRIES).map(([name, source]) => [source, name]));

/**
 * A plugin for tests: the threads and programs that a tested module starts are those of the run's bundle. They are ready
 * in a fraction of the time that Node needs for the sources. Without a bundle nothing changes.
 */
export function bundledThreads() {
  return {
    name: "bundled-threads",
    enforce: "pre" as const,
    transform: (text: string, id: string): string | undefined => {
      const product = process.env["NOMOS_TEST_BIN"];
      if (product === undefined || !text.includes("new URL(") || id.includes("node_modules")) return undefined;
      const dist = join(dirname(product), "..", "dist");
      const source = relative(ROOT, id).replaceAll("\\", "/");
      const urls = findReferences(parseSync(source, text)).filter(({ kind }) => kind === "url");
      // From the end, so that earlier offsets stay valid.
      return urls.toReversed().reduce((rest, { specifier, start, end }) => {
        const name = NAME_OF.get(posix.join(posix.dirname(source), specifier));
        if (name === undefined) return rest;
        return rest.slice(0, start) + JSON.stringify(pathToFileURL(join(dist, `${name}.js`)).href) + rest.slice(end);
      }, text);
    },
  };
}
