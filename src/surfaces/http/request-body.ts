import { NomosError } from "../../contract/index.ts";
import { parseJsonBytes } from "../json-bytes.ts";

/** The bytes of a request. A body without a length is counted as it comes. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const length = request.headers.get("content-length");
  if (Number(length ?? 0) > maxBytes) throw new NomosError("body_too_large", { maxBytes });
  if (length !== null) return new Uint8Array(await request.arrayBuffer());
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new NomosError("body_too_large", { maxBytes });
    parts.push(part);
  }
  return Buffer.concat(parts);
}

export function parseBody(bytes: Uint8Array): Record<string, unknown> {
  if (bytes.length === 0) return {};
  const value = parseJsonBytes(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new NomosError("invalid_request", { expected: "a JSON object" });
  return { ...value };
}
