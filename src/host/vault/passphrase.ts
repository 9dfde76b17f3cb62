import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import type { Identity, Recipient, Stanza } from "age-encryption";

/**
 * age's passphrase stanza on Node's own scrypt. The package's own is JavaScript on the main thread: a passphrase would hold
 * up every session for a second. Any `age` program opens what this seals.
 */
export function passphraseRecipient(passphrase: string, logN: number, makeStanza: MakeStanza): Recipient {
  return {
    wrapFileKey: async (fileKey) => {
      const salt = randomBytes(SALT_BYTES);
      const cipher = createCipheriv(CIPHER, await keyOf(passphrase, salt, logN), NO_NONCE, {
        authTagLength: TAG_BYTES,
      });
      const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
      return [makeStanza(["scrypt", base64(salt), String(logN)], body)];
    },
  };
}

export function passphraseIdentity(passphrase: string): Identity {
  return {
    unwrapFileKey: async (stanzas) => {
      const [stanza] = stanzas;
      const [type, salt = "", logN = ""] = stanza?.args ?? [];
      // A file of another maker could ask for hours of work.
      if (stanza === undefined || stanzas.length !== 1 || type !== "scrypt" || !/^\d{1,2}$/.test(logN)) return null;
      if (Number(logN) > LOG_N_MAX || stanza.body.length <= TAG_BYTES) return null;
      const key = await keyOf(passphrase, Buffer.from(salt, "base64"), Number(logN));
      const decipher = createDecipheriv(CIPHER, key, NO_NONCE, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(stanza.body.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(stanza.body.subarray(0, -TAG_BYTES)), decipher.final()]);
      } catch {
        // The tag does not fit: a wrong passphrase.
        return null;
      }
    },
  };
}

export type MakeStanza = (args: string[], body: Uint8Array) => Stanza;

const CIPHER = "chacha20-poly1305";
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const LOG_N_MAX = 20;
const BLOCK_SIZE = 8;
/** age uses each key once, so its nonce is zero. */
const NO_NONCE = Buffer.alloc(12);
const LABEL = Buffer.from("age-encryption.org/v1/scrypt");

async function keyOf(passphrase: string, salt: Uint8Array, logN: number): Promise<Buffer> {
  const cost = 2 ** logN;
  const derive = promisify<string, Uint8Array, number, object, Buffer>(scrypt);
  const maxmem = 256 * cost * BLOCK_SIZE;
  return derive(passphrase, Buffer.concat([LABEL, salt]), KEY_BYTES, { N: cost, r: BLOCK_SIZE, p: 1, maxmem });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/=+$/, "");
}
