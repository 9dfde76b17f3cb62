import type { KeyHolder } from "../../domains/index.ts";
import { fileStamp } from "../files/file-stamp.ts";
import { newAgeKey, parseKeys } from "./age.ts";
import { readVault, sealVault, type VaultFault, type VaultValues } from "./vault-content.ts";
import { type VaultFiles, vaultFiles, vaultPaths } from "./vault-files.ts";
import { createVaultKeys, type FoundKeys, type HeldKeys, type KeyPorts, type VaultKeys } from "./vault-keys.ts";

/**
 * Why the values cannot be read. `passphrase`: a person has to give it. `no_key`: none is in this home. `wrong_key`: the
 * keys that are here do not fit. `keyring`: it cannot be asked. `damaged`, `newer`: the file itself.
 */
export type LockReason = "passphrase" | "no_key" | "wrong_key" | "keyring" | "damaged" | "newer";

export type VaultState =
  /** `holder` is null until the first value makes a key. */
  | { readonly at: "open"; readonly holder: KeyHolder | null }
  | { readonly at: "locked"; readonly why: LockReason; readonly says: string | null };

export type VaultOpener = { readonly passphrase: string } | { readonly key: string } | { readonly again: true };

/** The sealed values of a home, in one file that is replaced as a whole. */
export interface Vault {
  readonly state: () => VaultState;
  readonly value: (id: string) => string | undefined;
  readonly ids: () => readonly string[];
  /** Bytes of all values. */
  readonly bytes: () => number;
  /** Flushed when it resolves. Calls that wait for the same write share it. After a failure the values are as before. */
  readonly put: (values: VaultValues) => Promise<void>;
  readonly drop: (ids: readonly string[]) => Promise<void>;
  /** False: it does not open the vault. `again` only looks at the keys once more, as for a keyring that was locked. */
  readonly unlock: (by: VaultOpener) => Promise<boolean>;
  /** Seals everything with a new key. Earlier keys stay with the holder, for older backups. */
  readonly rekey: (holder: KeyHolder, passphrase: string | null) => Promise<void>;
  /** Starts over without values. The unreadable file is moved aside: returns where it is. */
  readonly discard: () => Promise<string | null>;
}

const KEYS_MAX = 16;

export async function openVault(home: string, ports: KeyPorts & { readonly files?: VaultFiles } = {}): Promise<Vault> {
  const { files = vaultFiles } = ports;
  const paths = vaultPaths(home);
  const keys = createVaultKeys(paths, files, ports);
  const inTurn = oneAfterAnother();
  let values = new Map<string, string>();
  let held: HeldKeys | null = null;
  let state: VaultState = { at: "open", holder: null };
  let bytes = 0;
  let waiting: Promise<void> | null = null;

  const use = (found: VaultValues, by: HeldKeys | null): void => {
    values = new Map(found);
    bytes = [...found.values()].reduce((sum, value) => sum + Buffer.byteLength(value), 0);
    held = by;
    state = { at: "open", holder: by?.holder ?? null };
  };
  const change = (id: string, value: string | undefined): void => {
    bytes += Buffer.byteLength(value ?? "") - Buffer.byteLength(values.get(id) ?? "");
    if (value === undefined) values.delete(id);
    else values.set(id, value);
  };
  const write = async (by: HeldKeys): Promise<void> => {
    const [key = ""] = by.keys;
    await files.write(paths.sealed, await sealVault(values, key));
  };
  const ownKeys = async (): Promise<HeldKeys> => {
    if (held !== null) return held;
    const made: HeldKeys = { holder: "file", keys: [await newAgeKey()] };
    await keys.keep(made, null);
    held = made;
    state = { at: "open", holder: made.holder };
    return made;
  };
  /** The values are read when the write begins, so that one write serves everybody who waits for it. */
  const save = (): Promise<void> => {
    waiting ??= inTurn(async () => {
      const by = await ownKeys();
      waiting = null;
      await write(by);
    }).catch((thrown: unknown) => {
      waiting = null;
      throw thrown;
    });
    return waiting;
  };
  const tryKeys = async (candidate: HeldKeys): Promise<boolean> => {
    const found = await readVault(paths.sealed, candidate.keys);
    if (found === "missing") use(new Map(), candidate);
    else if (typeof found === "string") return false;
    else use(found, candidate);
    // Leftovers of an interrupted rekey. One that cannot be removed must not keep the vault closed.
    await keys.keepOnly(candidate.holder).catch(() => undefined);
    return true;
  };

  state = (await whyLocked(paths.sealed, keys, tryKeys)) ?? state;

  return {
    state: () => state,
    value: (id) => values.get(id),
    ids: () => [...values.keys()],
    bytes: () => bytes,
    put: async (added) => {
      for (const [id, value] of added) change(id, value);
      await save().catch((thrown: unknown) => {
        for (const id of added.keys()) change(id, undefined);
        throw thrown;
      });
    },
    drop: async (ids) => {
      const gone = ids.filter((id) => values.has(id));
      for (const id of gone) change(id, undefined);
      if (gone.length > 0) await save();
    },
    unlock: (by) =>
      inTurn(async () => {
        if ("again" in by) {
          state = (await whyLocked(paths.sealed, keys, tryKeys)) ?? state;
          return state.at === "open";
        }
        if ("passphrase" in by) {
          const found = await keys.withPassphrase(by.passphrase);
          return found !== null && (await tryKeys(found));
        }
        const given = parseKeys(by.key);
        if (given === null || typeof (await readVault(paths.sealed, given)) === "string") return false;
        const before = (await keys.find()).held.find(({ holder }) => holder === "file")?.keys ?? [];
        const kept: HeldKeys = { holder: "file", keys: [...new Set([...given, ...before])].slice(0, KEYS_MAX) };
        await keys.keep(kept, null);
        return tryKeys(kept);
      }),
    rekey: (holder, passphrase) =>
      inTurn(async () => {
        const next: HeldKeys = { holder, keys: [await newAgeKey(), ...(held?.keys ?? [])].slice(0, KEYS_MAX) };
        // The new key is safe before anything needs it, and the old one goes when nothing needs it.
        await keys.keep(next, passphrase);
        await write(next);
        held = next;
        state = { at: "open", holder };
        await keys.keepOnly(holder);
      }),
    discard: () =>
      inTurn(async () => {
        const stamp = fileStamp();
        const aside = `${paths.sealed}.aside-${stamp}`;
        const isThere = (await readVault(paths.sealed, [])) !== "missing";
        if (isThere) await files.move(paths.sealed, aside);
        await keys.setAside(stamp);
        use(new Map(), null);
        return isThere ? aside : null;
      }),
  };
}

/**
 * Null: the vault is open, or there is none yet. Nothing here may stop the daemon: whatever cannot be read is a reason to be
 * locked.
 */
async function whyLocked(
  sealed: string,
  keys: VaultKeys,
  tryKeys: (candidate: HeldKeys) => Promise<boolean>,
): Promise<VaultState | null> {
  const found = await keys.find();
  const isUnused = found.held.length === 0 && !found.needsPassphrase && found.problem === null;
  for (const candidate of found.held) if (await tryKeys(candidate)) return null;
  const keysHere = found.held.flatMap((one) => one.keys);
  const file = await readVault(sealed, keysHere);
  return file === "missing" && isUnused ? null : locked(typeof file === "string" ? file : "no_match", found);
}

function locked(fault: VaultFault, { held, needsPassphrase, problem }: FoundKeys): VaultState {
  const says = problem?.says ?? null;
  if (fault === "damaged" || fault === "newer") return { at: "locked", why: fault, says: null };
  if (needsPassphrase) return { at: "locked", why: "passphrase", says: null };
  if (problem !== null) return { at: "locked", why: problem.holder === "keyring" ? "keyring" : "wrong_key", says };
  return { at: "locked", why: held.length === 0 ? "no_key" : "wrong_key", says };
}

function oneAfterAnother(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}
