import { type Decision, defineAggregate, event, type Folding, factsOf } from "../../kernel/index.ts";

/** Who keeps the vault's key. */
export type KeyHolder = "file" | "keyring" | "passphrase";

export type UnlockedBy = "key" | "passphrase" | "again";

export const VAULT_EVENTS = {
  "vault.rekeyed@1": event<{ readonly holder: KeyHolder }>(),
  /** `key`: a copy of it was brought. `again`: its holder could be asked again. */
  "vault.unlocked@1": event<{ readonly by: UnlockedBy }>(),
  /** The sealed values were given up; the names stay. */
  "vault.discarded@1": event<{ readonly movedTo: string | null }>(),
};

const fact = factsOf(VAULT_EVENTS);

/** What happened to the vault as a whole. Whether it is open is a matter of files and keys, not of the log. */
export const VaultStream = defineAggregate({
  kind: "vault",
  isSingle: true,
  events: VAULT_EVENTS,
  lists: [],
  empty: (): Folding => ({ version: 0 }),
  evolve: (_state, { version }) => ({ version }),
});

export function recordRekey(holder: KeyHolder): Decision {
  return [fact("vault.rekeyed@1", { holder })];
}

export function recordUnlock(by: UnlockedBy): Decision {
  return [fact("vault.unlocked@1", { by })];
}

export function recordDiscard(movedTo: string | null): Decision {
  return [fact("vault.discarded@1", { movedTo })];
}
