import { hash } from "node:crypto";
import type { Sha256 } from "../../domains/index.ts";

/**
 * Through text of one byte a character: in Node 24 that takes half the time of a buffer. The bytes are a copy: in a buffer
 * from the pool, a hash that somebody keeps would keep the 8 KB around it.
 */
export const sha256: Sha256 = (...parts) =>
  new Uint8Array(Buffer.from(hash("sha256", joined(parts), "binary"), "binary"));

function joined(parts: readonly (Uint8Array | string)[]): Uint8Array {
  const bytes = parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part));
  let length = 0;
  for (const part of bytes) length += part.length;
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of bytes) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
