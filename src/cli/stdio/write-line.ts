import { once } from "node:events";
import type { Writable } from "node:stream";
import { harmlessJson } from "../screen/harmless.ts";

/** Writes one JSON text with control characters escaped. Resolves when the reader can take more. */
export async function writeLine(output: Writable, text: string): Promise<void> {
  if (!output.write(`${harmlessJson(text)}\n`)) await once(output, "drain");
}
