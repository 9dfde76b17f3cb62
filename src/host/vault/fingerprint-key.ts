import { createHmac, randomBytes } from "node:crypto";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { readSmallFile } from "../files/small-file.ts";
import { vaultFiles } from "./vault-files.ts";

/** Names values without telling them: whoever reads the log cannot try out guesses without this key. */
export interface Fingerprints {
  readonly key: Uint8Array;
  /** 12 hex digits, for people. */
  readonly of: (value: string) => string;
  /** The whole digest, for comparing requests. */
  readonly digest: (value: string) => string;
}

const SHOWN_DIGITS = 12;
const KEY_BYTES = 32;
const FILE_BYTES_MAX = 1024;
const KEY_FORM = /^[0-9a-f]{64}$/;

/**
 * `keys/fingerprint`: made once, readable for the daemon's user alone, and in no backup. Where it cannot be kept, as on a
 * full disk, one is made for this run: `onUnkept` is told why.
 */
export async function openFingerprints(home: string, onUnkept: (reason: unknown) => void): Promise<Fingerprints> {
  const path = join(home, "keys", "fingerprint");
  const known = await readSmallFile(path, FILE_BYTES_MAX).then(
    (text) => (text ?? "").trim(),
    () => "",
  );
  if (KEY_FORM.test(known)) {
    await chmod(path, 0o600);
    return fingerprintsWith(Buffer.from(known, "hex"));
  }
  const key = randomBytes(KEY_BYTES);
  await vaultFiles.write(path, `${key.toString("hex")}\n`).catch(onUnkept);
  return fingerprintsWith(key);
}

function fingerprintsWith(key: Uint8Array): Fingerprints {
  const digest = (value: string): string => createHmac("sha256", key).update(value).digest("hex");
  return { key, digest, of: (value) => digest(value).slice(0, SHOWN_DIGITS) };
}
