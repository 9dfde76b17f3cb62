import { fromBase64, fromText, sha256, toHex } from "./bytes.ts";
import type { TreeHead } from "./merkle.ts";

/** A C2SP checkpoint: a signed note over origin, size and root. */
export interface Checkpoint extends TreeHead {
  readonly origin: string;
  /** The text that is signed. */
  readonly text: string;
  readonly signatures: readonly {
    readonly name: string;
    readonly id: string;
    readonly bytes: Uint8Array<ArrayBuffer>;
  }[];
}

export interface VerifierKey {
  readonly name: string;
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const ED25519 = 1;
const NOTE_CHARS_MAX = 65_536;
const SIGNATURES_MAX = 64;

/** Null when it is anything but a checkpoint. */
export function parseCheckpoint(note: string): Checkpoint | null {
  const split = note.indexOf("\n\n");
  if (split < 0 || note.length > NOTE_CHARS_MAX || !note.endsWith("\n")) return null;
  const text = note.slice(0, split + 1);
  const [, origin, size, encoded] = /^([^\n]+)\n(0|[1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\n$/.exec(text) ?? [];
  const root = fromBase64(encoded ?? "");
  if (origin === undefined || size === undefined || root?.length !== 32) return null;
  const lines = note.slice(split + 2, -1).split("\n");
  if (lines.length > SIGNATURES_MAX) return null;
  const signatures = lines.map(parseSignature);
  const isWhole = signatures.every((signature) => signature !== null);
  return isWhole ? { origin, size: Number(size), root, text, signatures } : null;
}

function parseSignature(line: string): Checkpoint["signatures"][number] | null {
  const [, name, encoded] = /^— ([^\s+]+) ([A-Za-z0-9+/=]+)$/u.exec(line) ?? [];
  const bytes = fromBase64(encoded ?? "");
  if (name === undefined || bytes === null || bytes.length < 5) return null;
  return { name, id: toHex(bytes.subarray(0, 4)), bytes: bytes.slice(4) };
}

/** `name+keyid+base64(0x01 || public key)`. Null also when the id is not the key's own. */
export async function parseKey(text: string): Promise<VerifierKey | null> {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/u.exec(text.trim()) ?? [];
  const bytes = fromBase64(encoded ?? "");
  if (name === undefined || id === undefined || bytes?.length !== 33 || bytes[0] !== ED25519) return null;
  const named = (await sha256(fromText(`${name}\n`), bytes)).subarray(0, 4);
  return toHex(named) === id ? { name, id, bytes: bytes.slice(1) } : null;
}

/** `unable`: this browser has no Ed25519, so nothing is known. */
export type Signed = "yes" | "unsigned" | "forged" | "other log" | "unable";

export async function isSignedBy(checkpoint: Checkpoint, key: VerifierKey): Promise<Signed> {
  if (checkpoint.origin !== key.name) return "other log";
  const own = checkpoint.signatures.filter(({ name, id }) => name === key.name && id === key.id);
  if (own.length === 0) return "unsigned";
  const imported = await importKey(key.bytes);
  if (imported === null) return "unable";
  for (const { bytes } of own)
    if (!(await crypto.subtle.verify("Ed25519", imported, bytes, fromText(checkpoint.text)))) return "forged";
  return "yes";
}

async function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey | null> {
  try {
    return await crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
  } catch {
    return null;
  }
}
