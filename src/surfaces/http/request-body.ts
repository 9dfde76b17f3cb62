import { NomosError } from "../../contract/index.ts";
import { parseJsonBytes } from "../json-bytes.ts";

/** What is read of a body that is too large, so that its sender hears why it was refused instead of a broken pipe. */
const DISCARD_FACTOR = 4;

/** The bytes of a request, counted as they come, whatever length was announced. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const discardBytesMax = maxBytes * DISCARD_FACTOR;
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.length;
    if (size <= maxBytes) parts.push(part);
    else parts.length = 0;
    if (size > discardBytesMax) break;
  }
  if (size > maxBytes) throw new NomosError("body_too_large", { maxBytes });
  return Buffer.concat(parts);
}

export function parseBody(bytes: Uint8Array): Record<string, unknown> {
  if (bytes.length === 0) return {};
  const value = parseJsonBytes(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new NomosError("invalid_request", { expected: "a JSON object" });
  return { ...value };
}
