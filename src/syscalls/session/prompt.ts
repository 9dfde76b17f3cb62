import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { LIMITS } from "../../kernel/index.ts";

/** The size is checked later, because an oversized prompt has an error code of its own. */
export const Prompt = z.string().min(1).describe(`at most ${LIMITS.promptBytes} bytes`);

export function refuseLarge(prompt: string | undefined): void {
  const bytes = Buffer.byteLength(prompt ?? "");
  if (bytes > LIMITS.promptBytes)
    throw new NomosError("payload_too_large", { field: "prompt", bytes, maxBytes: LIMITS.promptBytes });
}
