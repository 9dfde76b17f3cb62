import { once } from "node:events";
import type { Writable } from "node:stream";
import { harmlessJson } from "../screen/harmless.ts";

/** One JSON text, safe to look at. Resolves when there is room for the next: a slow reader is not written to faster. */
export async function writeLine(output: Writable, text: string): Promise<void> {
  if (!output.write(`${harmlessJson(text)}\n`)) await once(output, "drain");
}
