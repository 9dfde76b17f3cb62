import type { By, Committer } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import {
  type KeyHolder,
  recordDiscard,
  recordRekey,
  recordUnlock,
  SECRETS,
  SecretStream,
  VaultStream,
  valuesOf,
} from "../../domains/index.ts";
import { HostError, type Vault, type VaultOpener } from "../../host/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import { type KnownValue, knownValue } from "./known-value.ts";
import { eachRow } from "./list-secrets.ts";
import { lockedError } from "./locked.ts";

/** What concerns the vault as a whole: its key, and values that no secret needs. */
export interface VaultCare {
  readonly unlock: (
    given: { readonly passphrase?: string | undefined; readonly key?: string | undefined },
    by: By,
  ) => Promise<readonly RecordedEvent[]>;
  readonly rekey: (holder: KeyHolder, passphrase: string | null, by: By) => Promise<readonly RecordedEvent[]>;
  readonly discard: (by: By) => Promise<readonly RecordedEvent[]>;
  /** Drops values that the log does not name, and tells the redactor all others. */
  readonly settle: () => Promise<void>;
}

/** Each write seals all values anew, so their sum is what a write costs. */
const VAULT_BYTES_MAX = 33_554_432;
const SECRETS_MAX = 20_000;

export async function openForValues(
  vault: Vault,
  store: Pick<Store, "count">,
  values: ReadonlyMap<string, string>,
): Promise<void> {
  const state = vault.state();
  if (state.at === "locked") throw lockedError(state);
  const added = [...values.values()].reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  if (vault.bytes() + added > VAULT_BYTES_MAX) throw new NomosError("vault_full", { bytesMax: VAULT_BYTES_MAX });
  if (vault.ids().length + values.size > SECRETS_MAX && (await store.count(SECRETS)) + values.size > SECRETS_MAX)
    throw new NomosError("vault_full", { secretsMax: SECRETS_MAX });
}

export function createVaultCare(deps: {
  readonly vault: Vault;
  readonly store: Pick<Store, "rows" | "fold">;
  readonly committer: Committer;
  readonly learn: (values: readonly KnownValue[]) => void;
}): VaultCare {
  const { vault, store, committer, learn } = deps;
  const record = async (decide: () => ReturnType<typeof recordRekey>, by: By) =>
    (await committer.change(VaultStream, "", decide, by)).events;
  const settle = async (): Promise<void> => {
    if (vault.state().at !== "open") return;
    // Known before anything else happens, also those that are about to go.
    learn(vault.ids().flatMap((id) => knownValue(vault.value(id))));
    await vault.drop(await unnamed(vault, store));
  };

  return {
    settle,
    unlock: async ({ passphrase, key }, by) => {
      if (vault.state().at === "open") return [];
      const isOpen = await vault.unlock(openerOf(passphrase, key));
      const state = vault.state();
      if (state.at === "locked" && passphrase === undefined && key === undefined) throw lockedError(state);
      if (!isOpen) throw new NomosError("vault_key_wrong");
      await settle();
      return record(
        () => recordUnlock(key !== undefined ? "key" : passphrase === undefined ? "again" : "passphrase"),
        by,
      );
    },
    rekey: async (holder, passphrase, by) => {
      const state = vault.state();
      if (state.at === "locked") throw lockedError(state);
      await vault.rekey(holder, passphrase).catch((thrown: unknown) => withoutKeyring(holder, thrown));
      return record(() => recordRekey(holder), by);
    },
    discard: async (by) => {
      // Values that can be read are never given up.
      if (vault.state().at === "open") return [];
      const movedTo = await vault.discard();
      return record(() => recordDiscard(movedTo), by);
    },
  };
}

function openerOf(passphrase: string | undefined, key: string | undefined): VaultOpener {
  if (key !== undefined) return { key };
  return passphrase === undefined ? { again: true } : { passphrase };
}

/** Host errors are about files; whatever else a keyring says is about the keyring. */
function withoutKeyring(holder: KeyHolder, thrown: unknown): never {
  if (holder !== "keyring" || thrown instanceof HostError) throw thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  throw new NomosError("keyring_unavailable", { reason }, { cause: thrown });
}

/** The list is asked first. The log has the last word: a list can be behind after an update. */
async function unnamed(vault: Vault, store: Pick<Store, "rows" | "fold">): Promise<readonly string[]> {
  const ids = vault.ids();
  if (ids.length === 0) return [];
  const listed = new Set<string>();
  await eachRow(store, (row) => {
    for (const id of valuesOf(row)) listed.add(id);
  });
  const gone: string[] = [];
  for (const id of ids) {
    if (listed.has(id)) continue;
    const state = await store.fold(SecretStream, id.split(".")[0] ?? "");
    if (!valuesOf(state).includes(id)) gone.push(id);
  }
  return gone;
}
