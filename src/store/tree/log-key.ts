import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import {
  failure,
  isErrno,
  makeFolder,
  readEvidence,
  readIfThere,
  replaceFile,
  translated,
} from "../files/durable-file.ts";
import { StoreError } from "../port.ts";
import { CHECKPOINT, checkpointText, ED25519, signatureLine, type VerifierKey, verifierKey } from "./note.ts";
import type { TreeHead } from "./tile-store.ts";

/** The key that signs the log's checkpoints. Its name is the log's name and never changes. */
export interface LogKey {
  readonly verifier: VerifierKey;
  /** Signs a checkpoint as a signed note. */
  readonly sign: (head: TreeHead) => string;
  /** Signs another text, such as a repository's law. Never a checkpoint's. */
  readonly signText: (text: string) => Uint8Array;
}

const FORM = /^PRIVATE\+KEY\+([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})\n?$/;
const SEED_BYTES = 32;
const NAME_BYTES = 4;
/** The ASN.1 prefix before the seed, as Node requires. */
const PKCS8_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");

/** Reads `log.key` in this folder, or creates it. `key.pub` beside it is for verifiers. */
export async function openLogKey(folder: string): Promise<LogKey> {
  const path = join(folder, "log.key");
  const found = await readEvidence(path);
  if (found === null) await makeKey(folder, path);
  else await translated(() => chmod(path, 0o600));
  const key = readKey(path, Buffer.from(found ?? (await readEvidence(path)) ?? []).toString("latin1"));
  const publicPath = join(folder, "key.pub");
  const shown = await readIfThere(publicPath).catch(() => null);
  if (shown === null || Buffer.from(shown).toString().trim() !== key.verifier.text)
    await replaceFile(publicPath, `${key.verifier.text}\n`);
  return key;
}

/** Like `openLogKey`, but makes none: null when the home has no key. */
export async function findLogKey(folder: string): Promise<LogKey | null> {
  const path = join(folder, "log.key");
  const found = await readIfThere(path);
  return found === null ? null : readKey(path, Buffer.from(found).toString("latin1"));
}

function readKey(path: string, text: string): LogKey {
  const [, name, keyId, encoded] = FORM.exec(text) ?? [];
  const bytes = Buffer.from(encoded ?? "", "base64");
  if (name === undefined || bytes.length !== SEED_BYTES + 1 || bytes[0] !== ED25519) throw unreadable(path);
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, bytes.subarray(1)]),
    format: "der",
    type: "pkcs8",
  });
  const verifier = verifierKey(name, ED25519, rawPublicKey(privateKey));
  if (verifier.keyId !== keyId) throw unreadable(path);
  return {
    verifier,
    sign: (head) => {
      const text = checkpointText(name, head);
      return `${text}\n${signatureLine(name, verifier.keyId, sign(null, Buffer.from(text), privateKey))}`;
    },
    signText: (text) => {
      if (CHECKPOINT.test(text)) throw new Error("a checkpoint is signed as one");
      return sign(null, Buffer.from(text), privateKey);
    },
  };
}

async function makeKey(folder: string, path: string): Promise<void> {
  const { privateKey } = generateKeyPairSync("ed25519");
  const name = `nomos/${randomBytes(NAME_BYTES).toString("hex")}`;
  const { keyId } = verifierKey(name, ED25519, rawPublicKey(privateKey));
  const seed = privateKey.export({ format: "der", type: "pkcs8" }).subarray(-SEED_BYTES);
  const encoded = Buffer.concat([Uint8Array.of(ED25519), seed]).toString("base64");
  await makeFolder(folder).catch((cause: unknown) => {
    if (isErrno(cause, "EEXIST", "ENOTDIR"))
      throw new StoreError("checkpoint_invalid", { path: folder, problem: "it is not a folder" }, cause);
    throw failure(cause);
  });
  await replaceFile(path, `PRIVATE+KEY+${name}+${keyId}+${encoded}\n`);
}

function rawPublicKey(privateKey: KeyObject): Uint8Array {
  const { x } = createPublicKey(privateKey).export({ format: "jwk" });
  return Buffer.from(x ?? "", "base64url");
}

function unreadable(path: string): StoreError {
  return new StoreError("checkpoint_invalid", { path, problem: "the file is not a signing key of a log" });
}
