import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/** The sources and the documentation of this repository, again and again, in ASCII: a megabyte is a megabyte. */
export function readSources(chars: number): string {
  const files = globSync("{src,docs}/**/*.{ts,md}", { cwd: ROOT }).sort();
  const once = files.map((path) => readFileSync(join(ROOT, path), "latin1")).join("\n");
  const ascii = Array.from(once, (character) => (character.charCodeAt(0) < 0x80 ? character : "?")).join("");
  return Buffer.from(ascii.repeat(Math.ceil(chars / ascii.length)).slice(0, chars)).toString("latin1");
}
