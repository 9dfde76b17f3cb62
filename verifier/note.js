import { createPublicKey, hash, verify } from "node:crypto";

/**
 * @typedef {object} Checkpoint
 * @property {string} origin
 * @property {number} size
 * @property {Buffer} root
 * @property {string} text What is signed.
 * @property {{ name: string, keyId: string, signature: Buffer }[]} signatures
 *
 * @typedef {object} Key
 * @property {string} name
 * @property {string} keyId
 * @property {import("node:crypto").KeyObject} publicKey
 * @property {string} text
 */

const ED25519 = 1;
const NOTE_CHARS_MAX = 65_536;

/**
 * A C2SP checkpoint: origin, size, root, a blank line, signatures. Null when it is anything else.
 *
 * @param {string} note
 * @returns {Checkpoint | null}
 */
export function parseCheckpoint(note) {
  const split = note.lastIndexOf("\n\n");
  if (split < 0 || note.length > NOTE_CHARS_MAX || !note.endsWith("\n")) return null;
  const text = note.slice(0, split + 1);
  const [, origin, size, root] = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$/.exec(text) ?? [];
  if (origin === undefined || size === undefined || root === undefined) return null;
  const signatures = [];
  for (const line of note.slice(split + 2, -1).split("\n")) {
    const [, name, encoded] = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u.exec(line) ?? [];
    if (name === undefined || encoded === undefined) return null;
    const bytes = Buffer.from(encoded, "base64");
    signatures.push({ name, keyId: bytes.toString("hex", 0, 4), signature: bytes.subarray(4) });
  }
  return { origin, size: Number(size), root: Buffer.from(root, "base64"), text, signatures };
}

/**
 * A verifier key, `name+keyid+base64(0x01 || public key)`. Null when it is anything else.
 *
 * @param {string} given
 * @returns {Key | null}
 */
export function parseKey(given) {
  const text = given.trim();
  const [, name, keyId, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/u.exec(text) ?? [];
  if (name === undefined || keyId === undefined || encoded === undefined) return null;
  const bytes = Buffer.from(encoded, "base64");
  const named = hash("sha256", Buffer.concat([Buffer.from(`${name}\n`), bytes]), "hex").slice(0, 8);
  if (bytes.length !== 33 || bytes[0] !== ED25519 || named !== keyId) return null;
  const x = bytes.subarray(1).toString("base64url");
  return { name, keyId, publicKey: createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }), text };
}

/**
 * Why the checkpoint cannot be taken for one of the key's log; null when it can.
 *
 * @param {Checkpoint} checkpoint
 * @param {Key} key
 */
export function signatureFault(checkpoint, key) {
  if (checkpoint.origin !== key.name) return `it is of the log ${checkpoint.origin}, the key of ${key.name}`;
  const own = checkpoint.signatures.filter(({ name, keyId }) => name === key.name && keyId === key.keyId);
  if (own.length === 0) return `it is not signed by the key ${key.name}+${key.keyId}`;
  const text = Buffer.from(checkpoint.text);
  const good = own.every(({ signature }) => verify(null, text, key.publicKey, signature));
  return good ? null : `the signature is not that of the key ${key.name}+${key.keyId}`;
}
