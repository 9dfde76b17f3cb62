import { once } from "node:events";
import type { Writable } from "node:stream";

/** Resolves when there is room for the next: whoever reads slowly is not written to faster. */
export async function writeLine(output: Writable, text: string): Promise<void> {
  if (!output.write(`${text}\n`)) await once(output, "drain");
}
