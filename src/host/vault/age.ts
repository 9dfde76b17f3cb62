import { passphraseIdentity, passphraseRecipient } from "./passphrase.ts";

/** The only place that knows age. It is loaded with the first sealed file: most homes have none, and it costs 50 ms. */
const load = () => import("age-encryption");

/** The work factor of a passphrase, as age counts it: about half a second, on a thread of its own. */
const SCRYPT_LOG_N = 17;

const KEY_LINE = /^AGE-SECRET-KEY-1[0-9A-Z]{58}$/;

export type Unsealed = Uint8Array | "no_match" | "damaged";

/** A new key, as `age-keygen` would print it. */
export async function newAgeKey(): Promise<string> {
  return (await load()).generateX25519Identity();
}

export async function sealFor(key: string, bytes: Uint8Array): Promise<Uint8Array> {
  const { Encrypter, identityToRecipient } = await load();
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(key));
  return encrypter.encrypt(bytes);
}

/** `no_match`: the file is whole as far as can be seen, and none of the keys opens it. */
export async function unsealWith(keys: readonly string[], sealed: Uint8Array): Promise<Unsealed> {
  const { Decrypter } = await load();
  const decrypter = new Decrypter();
  for (const key of keys) decrypter.addIdentity(key);
  return decrypter.decrypt(sealed).catch(whyNot);
}

export async function sealWithPassphrase(passphrase: string, text: string, logN = SCRYPT_LOG_N): Promise<Uint8Array> {
  const { Encrypter, Stanza } = await load();
  const encrypter = new Encrypter();
  encrypter.addRecipient(passphraseRecipient(passphrase, logN, (args, body) => new Stanza(args, body)));
  return encrypter.encrypt(text);
}

export async function unsealWithPassphrase(passphrase: string, sealed: Uint8Array): Promise<Unsealed> {
  const decrypter = new (await load()).Decrypter();
  decrypter.addIdentity(passphraseIdentity(passphrase));
  return decrypter.decrypt(sealed).catch(whyNot);
}

/** The keys in a key file; comments and empty lines are passed over. Null when a line is no key, or there is none. */
export function parseKeys(text: string): readonly string[] | null {
  const lines = text.split("\n").map((line) => line.trim());
  const keys = lines.filter((line) => line !== "" && !line.startsWith("#"));
  return keys.length > 0 && keys.every((key) => KEY_LINE.test(key)) ? keys : null;
}

/** age has no error codes. Anything but a missing key means that the bytes are not what age wrote. */
function whyNot(thrown: unknown): "no_match" | "damaged" {
  const isMismatch = thrown instanceof Error && thrown.message.startsWith("no identity matched");
  return isMismatch ? "no_match" : "damaged";
}
