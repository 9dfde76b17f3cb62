import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errno } from "../errno.ts";
import { writeFileAtomic } from "../files/atomic-file.ts";
import { HostError } from "../host-error.ts";

/** What the vault does to files. A test hands in one that stops at any step. */
export interface VaultFiles {
  readonly write: (path: string, bytes: Uint8Array | string) => Promise<void>;
  readonly move: (from: string, to: string) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
}

export const vaultFiles: VaultFiles = {
  write: (path, bytes) =>
    translated(path, async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFileAtomic(path, bytes, { mode: 0o600 });
    }),
  move: (from, to) => translated(from, () => rename(from, to)),
  remove: (path) => translated(path, () => rm(path, { force: true })),
};

export interface VaultPaths {
  readonly sealed: string;
  /** The key in plain text. */
  readonly key: string;
  /** The key, sealed with a passphrase. */
  readonly lockedKey: string;
  /** The account of the keyring that holds the key. */
  readonly account: string;
}

export function vaultPaths(home: string): VaultPaths {
  return {
    sealed: join(home, "vault", "secrets.age"),
    key: join(home, "keys", "vault.key"),
    lockedKey: join(home, "keys", "vault.key.age"),
    account: join(home, "keys", "vault.keyring"),
  };
}

async function translated<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = errno(cause);
    if (code === undefined) throw cause;
    if (code === "ENOSPC" || code === "EDQUOT")
      throw new HostError("disk_full", "There is no space left for the vault.", {
        remedy: "Free space on the disk of $NOMOS_HOME, then try again. The earlier values are unharmed.",
        details: { path },
        cause,
      });
    throw new HostError("home_unusable", `The vault cannot be written: ${code}.`, {
      remedy: "Give this user write access to $NOMOS_HOME.",
      details: { path, problem: code },
      cause,
    });
  }
}
