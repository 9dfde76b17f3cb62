import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { HASH_BYTES } from "../../domains/index.ts";
import { sha256 } from "../log/sha256.ts";
import type { TreeHead } from "./tile-store.ts";

/** A checkpoint as in C2SP tlog-checkpoint: the head of the tree as the text of a signed note. */
export interface Checkpoint extends TreeHead {
  readonly origin: string;
  /** The signed text: three lines, each with its newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
  readonly name: string;
  /** Four bytes of the key's hash, in hex. Together with the name they identify the key, but prove nothing. */
  readonly keyId: string;
  readonly signature: Uint8Array;
}

/** A verifier key as in C2SP signed-note: `name+keyid+base64(type || public key)`. */
export interface VerifierKey {
  readonly name: string;
  readonly keyId: string;
  readonly type: number;
  readonly publicKey: KeyObject;
  readonly text: string;
}

/** A plain Ed25519 signature of the note's text. */
export const ED25519 = 0x01;
/** A signature with a time, by which a witness confirms that the tree only grew (C2SP tlog-cosignature). */
export const COSIGNATURE = 0x04;

const NOTE_CHARS_MAX = 65_536;
const SIGNATURES_MAX = 64;
const KEY_ID_BYTES = 4;
const PUBLIC_KEY_BYTES = 32;
const TIME_BYTES = 8;
const NAME = /^[^\s+]+$/u;
export const CHECKPOINT = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$/;
const SIGNATURE_LINE = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u;

export function checkpointText(origin: string, { size, root }: TreeHead): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString("base64")}\n`;
}

export function signatureLine(name: string, keyId: string, signature: Uint8Array): string {
  return `— ${name} ${Buffer.concat([Buffer.from(keyId, "hex"), signature]).toString("base64")}\n`;
}

/** Null unless the note is exactly a checkpoint of ours: three lines, a blank one, signatures. */
export function parseCheckpoint(note: string): Checkpoint | null {
  const split = note.lastIndexOf("\n\n");
  if (split < 0 || note.length > NOTE_CHARS_MAX) return null;
  const text = note.slice(0, split + 1);
  const [, origin, size, root] = CHECKPOINT.exec(text) ?? [];
  const signatures = parseSignatures(note.slice(split + 2));
  if (origin === undefined || size === undefined || root === undefined || signatures === null) return null;
  const head = { size: Number(size), root: bytesOf(root) };
  if (head.root.length !== HASH_BYTES || !Number.isSafeInteger(head.size)) return null;
  return { ...head, origin, text, signatures };
}

/** Parses signature lines, also from a witness. Null when any line is invalid. */
export function parseSignatures(lines: string): readonly NoteSignature[] | null {
  if (!lines.endsWith("\n")) return null;
  const parsed = lines
    .slice(0, -1)
    .split("\n")
    .map((line) => {
      const [, name, encoded] = SIGNATURE_LINE.exec(line) ?? [];
      const bytes = bytesOf(encoded ?? "");
      if (name === undefined || bytes.length <= KEY_ID_BYTES) return null;
      return { name, keyId: bytes.toString("hex", 0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES) };
    });
  const found = parsed.filter((signature) => signature !== null);
  return found.length === parsed.length && found.length <= SIGNATURES_MAX ? found : null;
}

export function parseVerifierKey(text: string): VerifierKey | null {
  const [name = "", keyId = "", ...rest] = text.trim().split("+");
  const bytes = bytesOf(rest.join("+"));
  const type = bytes[0] ?? 0;
  if (!NAME.test(name) || (type !== ED25519 && type !== COSIGNATURE)) return null;
  if (bytes.length !== 1 + PUBLIC_KEY_BYTES || keyId !== keyIdOf(name, bytes)) return null;
  return verifierKey(name, type, bytes.subarray(1));
}

export function verifierKey(name: string, type: number, publicKey: Uint8Array): VerifierKey {
  const bytes = Buffer.concat([Uint8Array.of(type), publicKey]);
  const keyId = keyIdOf(name, bytes);
  const x = Buffer.from(publicKey).toString("base64url");
  return {
    name,
    keyId,
    type,
    publicKey: createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }),
    text: `${name}+${keyId}+${bytes.toString("base64")}`,
  };
}

/** Whether the key has signed the checkpoint. One invalid signature by the key refuses it. */
export function isSignedBy(checkpoint: Checkpoint, key: VerifierKey): boolean {
  const own = checkpoint.signatures.filter(({ name, keyId }) => name === key.name && keyId === key.keyId);
  return own.length > 0 && own.every(({ signature }) => verifies(checkpoint.text, signature, key));
}

/** The text that a witness signs, with the time that precedes its signature. */
function cosignedMessage(text: string, timeSeconds: bigint): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${timeSeconds}\n${text}`);
}

function verifies(text: string, signature: Uint8Array, key: VerifierKey): boolean {
  if (key.type === ED25519) return verify(null, Buffer.from(text), key.publicKey, signature);
  if (signature.length <= TIME_BYTES) return false;
  const timeSeconds = Buffer.from(signature).readBigUInt64BE();
  return verify(null, cosignedMessage(text, timeSeconds), key.publicKey, signature.subarray(TIME_BYTES));
}

function keyIdOf(name: string, typeAndKey: Uint8Array): string {
  return Buffer.from(sha256(`${name}\n`, typeAndKey)).toString("hex", 0, KEY_ID_BYTES);
}

/** Decodes canonical base64 only; other spellings of the same bytes are refused. */
function bytesOf(base64: string): Buffer {
  const bytes = Buffer.from(base64, "base64");
  return bytes.toString("base64") === base64 ? bytes : Buffer.alloc(0);
}
