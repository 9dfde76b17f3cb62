/** The chain hashes headers, which name their data by a salted hash: data can be erased and the chain stays valid. */
export interface Header {
  readonly id: string;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly cause: string | null;
  readonly dataHash: string;
}

/** sha256 over the concatenated parts, text as UTF-8. Passed in, because the kernel has no crypto of its own. */
export type Sha256 = (...parts: readonly (Uint8Array | string)[]) => Uint8Array;

export const HASH_BYTES = 32;
export const SALT_BYTES = 16;

/** `prev` of a new stream's first event; a fork's first event has its parent's hash instead. */
export const NO_PREV: Uint8Array = new Uint8Array(HASH_BYTES);

export function hashData(sha256: Sha256, salt: Uint8Array, data: Uint8Array): string {
  return hex(sha256(salt, data));
}

/**
 * The exact text that is hashed and stored; never serialised a second time. Canonical JSON: the members stand in its
 * order, because sorting them took a third of the time to prepare an event.
 */
export function headerText(header: Header): string {
  const { actor, at, cause, dataHash, id, stream, type, version } = header;
  return JSON.stringify({ actor, at, cause, dataHash, id, stream, type, version });
}

export function hashEvent(sha256: Sha256, prev: Uint8Array, header: string): Uint8Array {
  return sha256(prev, header);
}

export interface StoredBytes {
  readonly prev: Uint8Array;
  readonly header: string;
  readonly hash: Uint8Array;
  /** Both are null after erasure. */
  readonly salt: Uint8Array | null;
  readonly data: Uint8Array | null;
}

export type ChainFault = "hash_mismatch" | "prev_mismatch" | "data_mismatch" | "header_mismatch";

/** Checks one event against its predecessor's hash and its position; null when it is valid. */
export function verifyLink(
  sha256: Sha256,
  expected: { readonly prev: Uint8Array; readonly stream: string; readonly version: number },
  stored: StoredBytes,
  header: Header,
): ChainFault | null {
  if (!sameBytes(stored.prev, expected.prev)) return "prev_mismatch";
  if (!sameBytes(hashEvent(sha256, stored.prev, stored.header), stored.hash)) return "hash_mismatch";
  if (header.stream !== expected.stream || header.version !== expected.version) return "header_mismatch";
  if ((stored.data === null) !== (stored.salt === null)) return "data_mismatch";
  if (stored.data !== null && stored.salt !== null && hashData(sha256, stored.salt, stored.data) !== header.dataHash)
    return "data_mismatch";
  return null;
}

export function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte] ?? "";
  return text;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}
