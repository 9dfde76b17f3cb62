import { randomUUID } from "node:crypto";
import { chmod } from "node:fs/promises";
import type { KeyHolder } from "../../domains/index.ts";
import { readSmallFile } from "../files/small-file.ts";
import { parseKeys, sealWithPassphrase, unsealWithPassphrase } from "./age.ts";
import { type Keyring, openKeyring } from "./keyring.ts";
import type { VaultFiles, VaultPaths } from "./vault-files.ts";

/** Keys of one holder: the first seals, the others open what an older backup holds. */
export interface HeldKeys {
  readonly holder: KeyHolder;
  readonly keys: readonly string[];
}

export interface FoundKeys {
  readonly held: readonly HeldKeys[];
  /** A key is there that only a passphrase opens. */
  readonly needsPassphrase: boolean;
  /** Why a key that should be there cannot be read; null when nothing is wrong. */
  readonly problem: { readonly holder: KeyHolder; readonly says: string } | null;
}

/** Keeps the vault's keys with one of three holders. */
export interface VaultKeys {
  readonly find: () => Promise<FoundKeys>;
  /** Null: the passphrase is wrong. */
  readonly withPassphrase: (passphrase: string) => Promise<HeldKeys | null>;
  /** Durable when it resolves. `passphrase` is for that holder alone. */
  readonly keep: (held: HeldKeys, passphrase: string | null) => Promise<void>;
  /** Removes the keys of every other holder. */
  readonly keepOnly: (holder: KeyHolder) => Promise<void>;
  /** Moves keys that open nothing aside, so that new ones can be made. */
  readonly setAside: (stamp: string) => Promise<void>;
}

export interface KeyPorts {
  readonly keyring?: () => Promise<Keyring | null>;
  /** age's work factor; tests take a small one. */
  readonly passphraseLogN?: number;
}

const KEY_FILE_BYTES_MAX = 65_536;
const NO_KEYRING = "this installation has no access to a keyring (the optional package @napi-rs/keyring is missing)";

export function createVaultKeys(
  paths: VaultPaths,
  files: VaultFiles,
  { keyring: loadKeyring = openKeyring, passphraseLogN }: KeyPorts,
): VaultKeys {
  const account = async (): Promise<string | null> => (await readText(paths.account))?.trim() ?? null;
  const requireKeyring = async (): Promise<Keyring> => {
    const keyring = await loadKeyring();
    if (keyring === null) throw new Error(NO_KEYRING);
    return keyring;
  };
  const inFile = async (): Promise<readonly string[] | null> => {
    const text = await readText(paths.key);
    if (text === null) return null;
    // A key of another user, which this one may read, cannot be changed.
    await chmod(paths.key, 0o600).catch(() => undefined);
    const keys = parseKeys(text);
    if (keys === null) throw new Error(`${paths.key} holds no age key`);
    return keys;
  };
  const inKeyring = async (): Promise<readonly string[] | null> => {
    const name = await account();
    if (name === null) return null;
    const text = await (await requireKeyring()).get(name);
    if (text === null) throw new Error("the keyring holds no key for this home");
    const keys = parseKeys(text);
    if (keys === null) throw new Error("what the keyring holds for this home is no age key");
    return keys;
  };
  const forget: { readonly [holder in KeyHolder]: () => Promise<void> } = {
    file: () => files.remove(paths.key),
    passphrase: () => files.remove(paths.lockedKey),
    keyring: async () => {
      const name = await account();
      if (name === null) return;
      await files.remove(paths.account);
      // A keyring that cannot be asked keeps a key that opens nothing any more.
      await (await loadKeyring())?.remove(name).catch(() => undefined);
    },
  };

  return {
    find: async () => {
      const held: HeldKeys[] = [];
      let problem: FoundKeys["problem"] = null;
      for (const [holder, read] of [["file", inFile] as const, ["keyring", inKeyring] as const])
        try {
          const keys = await read();
          if (keys !== null) held.push({ holder, keys });
        } catch (thrown) {
          problem = { holder, says: thrown instanceof Error ? thrown.message : String(thrown) };
        }
      const needsPassphrase = await readBytes(paths.lockedKey).then(
        (bytes) => bytes !== null,
        () => true,
      );
      return { held, needsPassphrase, problem };
    },
    withPassphrase: async (passphrase) => {
      const sealed = await readBytes(paths.lockedKey);
      const opened = sealed === null ? "no_match" : await unsealWithPassphrase(passphrase, sealed);
      const keys = typeof opened === "string" ? null : parseKeys(Buffer.from(opened).toString("utf8"));
      return keys === null ? null : { holder: "passphrase", keys };
    },
    keep: async ({ holder, keys }, passphrase) => {
      const text = `${KEY_COMMENT}\n${keys.join("\n")}\n`;
      if (holder === "file") return files.write(paths.key, text);
      if (holder === "passphrase")
        return files.write(paths.lockedKey, await sealWithPassphrase(passphrase ?? "", text, passphraseLogN));
      const known = await account();
      const name = known ?? `vault-${randomUUID()}`;
      await (await requireKeyring()).set(name, text);
      if (known === null) await files.write(paths.account, `${name}\n`);
    },
    keepOnly: async (holder) => {
      for (const other of ["file", "keyring", "passphrase"] as const) if (other !== holder) await forget[other]();
    },
    setAside: async (stamp) => {
      for (const path of [paths.key, paths.lockedKey, paths.account])
        if ((await readBytes(path).catch(() => "")) !== null) await files.move(path, `${path}.aside-${stamp}`);
    },
  };
}

const KEY_COMMENT = "# The key of this home's vault. Keep a copy in another place: no backup holds it.";

async function readText(path: string): Promise<string | null> {
  return readSmallFile(path, KEY_FILE_BYTES_MAX);
}

async function readBytes(path: string): Promise<Uint8Array | null> {
  const text = await readSmallFile(path, KEY_FILE_BYTES_MAX, "latin1");
  return text === null ? null : Buffer.from(text, "latin1");
}
