import type { By, Committer } from "../../commit/index.ts";
import { subjectOf } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import {
  bindSecret,
  type KeyHolder,
  RETIRED_VALUES_MAX,
  recordSecretUse,
  removeSecret,
  rotateSecret,
  type SecretBinding,
  type SecretPlace,
  type SecretScope,
  type SecretState,
  SecretStream,
  sealSecret,
  utf8Bytes,
  type ValueFault,
  valueFault,
} from "../../domains/index.ts";
import type { Fingerprints, Vault, VaultState } from "../../host/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import { findSecret, type PresentSecret, type SecretRef, type ShownSecret, secretAt, secretId } from "./find-secret.ts";
import { type KnownValue, knownValue } from "./known-value.ts";
import { countRows, listSecrets, type SecretPage, type SecretQuery } from "./list-secrets.ts";
import { lockedError } from "./locked.ts";
import type { Owners } from "./owner.ts";
import { openForValues, type VaultCare } from "./vault-care.ts";

export interface NewValue {
  readonly name: string;
  readonly value: string;
  readonly scope: SecretScope;
  readonly bind: readonly SecretBinding[];
}

/** Named values. No member gives a value to a caller; `resolve` is for the process that needs it. */
export interface Secrets {
  readonly state: () => VaultState;
  readonly set: (given: NewValue, asker: string, by: By) => Promise<readonly RecordedEvent[]>;
  /** All that can be secrets and are new, in one append. */
  readonly import: (given: readonly NewValue[], asker: string, by: By) => Promise<readonly RecordedEvent[]>;
  /** Why a value is refused; null when it is not. */
  readonly fault: (value: string) => ValueFault | null;
  readonly rotate: (ref: SecretRef, value: string, asker: string, by: By) => Promise<readonly RecordedEvent[]>;
  readonly bind: (
    ref: SecretRef,
    bind: readonly SecretBinding[],
    asker: string,
    by: By,
  ) => Promise<readonly RecordedEvent[]>;
  readonly remove: (ref: SecretRef, asker: string, by: By) => Promise<readonly RecordedEvent[]>;
  readonly list: (query: SecretQuery, asker: string) => Promise<SecretPage>;
  readonly show: (ref: SecretRef, asker: string) => Promise<ShownSecret>;
  /** By the id of its stream, for answers that are made from events. */
  readonly showById: (id: string) => Promise<ShownSecret>;
  /** Records the use, then gives the value. Throws `secret_not_found`, `secret_lost`, `vault_locked`. */
  readonly resolve: (name: string, place: SecretPlace, use: string) => Promise<string>;
  /** Everything the redactor has to know: current and retired values. Empty while the vault is locked. */
  readonly values: () => readonly KnownValue[];
  /** How many secrets have no value; 0 while the vault is locked. */
  readonly lost: () => Promise<number>;
  readonly unlock: VaultCare["unlock"];
  readonly rekey: (holder: KeyHolder, passphrase: string | null, by: By) => Promise<readonly RecordedEvent[]>;
  readonly discard: (by: By) => Promise<readonly RecordedEvent[]>;
  readonly owners: Owners;
}

export interface SecretsDeps {
  readonly vault: Vault;
  readonly store: Pick<Store, "row" | "rows" | "fold" | "readStream" | "count">;
  readonly committer: Committer;
  readonly fingerprints: Fingerprints;
  readonly owners: Owners;
  readonly newId: () => string;
  /** Called before a value is stored or acknowledged. */
  readonly learn: (values: readonly KnownValue[]) => void;
  /** Texts that no secret may be a part of. */
  readonly ownWords: readonly string[];
}

export function createSecrets(deps: SecretsDeps, care: VaultCare): Secrets {
  const { vault, store, committer, fingerprints, owners, newId, learn, ownWords } = deps;
  const fault = (value: string) => valueFault(value, ownWords);
  const sealed = (id: string, value: string) => ({
    // The id of its secret is in it, so that a start can tell what the log says of a value.
    valueId: `${id}.${newId()}`,
    bytes: utf8Bytes(value),
    fingerprint: fingerprints.of(value),
  });
  /** Known to the redactor first, then in the file, then in the log. What the log refuses is dropped again. */
  const keep = async <T>(values: ReadonlyMap<string, string>, commit: () => Promise<T>): Promise<T> => {
    await openForValues(vault, store, values);
    learn([...values.values()].flatMap(knownValue));
    await vault.put(values);
    return commit().catch(async (thrown: unknown) => {
      await vault.drop([...values.keys()]);
      throw thrown;
    });
  };
  const requireGood = (name: string, value: string): void => {
    const found = fault(value);
    if (found === null) return;
    const details = { name, reason: found.reason };
    throw new NomosError("secret_value_refused", details, {
      message: `The value of ${name} is refused: ${found.says}.`,
    });
  };
  const change = async (
    ref: SecretRef,
    asker: string,
    by: By,
    decide: (state: SecretState) => ReturnType<typeof removeSecret>,
  ) => (await committer.change(SecretStream, (await findSecret(store, ref, asker)).id, decide, by)).events;
  const shown = ({ id, secret }: PresentSecret): ShownSecret => {
    const value = vault.value(secret.valueId);
    const lost = vault.state().at === "open" && value === undefined;
    // Under this home's key, which a restored home has made anew.
    return { ...secret, id, lost, fingerprint: value === undefined ? secret.fingerprint : fingerprints.of(value) };
  };
  const seal = (given: readonly NewValue[], owner: string, by: By) => {
    const all = given.map((one) => {
      const id = secretId(owner, one.scope, one.name);
      return { ...one, id, sealed: sealed(id, one.value) };
    });
    const values = new Map(all.map((one) => [one.sealed.valueId, one.value]));
    const changes = all.map(({ id, name, scope, bind, sealed: about }) => ({
      of: subjectOf(SecretStream, id),
      decide: (state: SecretState) => sealSecret(state, { name, scope, owner, bind, ...about }),
    }));
    return keep(values, async () => (await committer.commit(changes, { by })).events);
  };

  return {
    state: vault.state,
    fault,
    owners,
    set: async (given, asker, by) => {
      requireGood(given.name, given.value);
      return seal([given], asker, by);
    },
    import: async (given, asker, by) => {
      const isNew = async ({ name, scope }: NewValue) =>
        (await store.fold(SecretStream, secretId(asker, scope, name))).at;
      const states = await Promise.all(given.map(isNew));
      const good = given.filter(({ value }, at) => states[at] !== "present" && fault(value) === null);
      return good.length === 0 ? [] : seal(good, asker, by);
    },
    rotate: async (ref, value, asker, by) => {
      requireGood(ref.name, value);
      const { id } = await findSecret(store, ref, asker);
      const about = sealed(id, value);
      const decide = (state: SecretState) => rotateSecret(state, about);
      return keep(new Map([[about.valueId, value]]), async () => {
        const { events, before } = await committer.change(SecretStream, id, decide, by);
        await vault.drop(forgottenBy(before));
        return events;
      });
    },
    bind: (ref, bind, asker, by) => change(ref, asker, by, (state) => bindSecret(state, bind)),
    remove: (ref, asker, by) => change(ref, asker, by, removeSecret),
    list: async (query, asker) => {
      const { rows, next } = await listSecrets(store, query, asker);
      return { secrets: rows.map(shown), next };
    },
    show: async (ref, asker) => shown(await findSecret(store, ref, asker)),
    showById: async (id) => {
      const state = await store.fold(SecretStream, id);
      if (state.at !== "present") throw new NomosError("secret_not_found");
      return shown({ ...state, at: "present", id });
    },
    resolve: async (name, place, use) => {
      const state = vault.state();
      if (state.at === "locked") throw lockedError(state);
      const found = await secretAt(store, name, place);
      if (found === null) throw new NomosError("secret_not_found", { name });
      const { sessionId } = place;
      const by = { actor: sessionId === null ? place.owner : `session:${sessionId}` };
      const decide = (now: SecretState) => recordSecretUse(now, { use, sessionId });
      const { before } = await committer.change(SecretStream, found.id, decide, by);
      // Of the state that the use was recorded on: a rotation at the same time comes before it or after it.
      const value = before.at === "present" ? vault.value(before.secret.valueId) : undefined;
      if (value === undefined) throw new NomosError("secret_lost", { name });
      return value;
    },
    values: () => vault.ids().flatMap((id) => knownValue(vault.value(id))),
    lost: async () => {
      const isOpen = vault.state().at === "open";
      return isOpen
        ? countRows(store, (row) => row.at === "present" && vault.value(row.secret.valueId) === undefined)
        : 0;
    },
    unlock: care.unlock,
    rekey: care.rekey,
    discard: care.discard,
  };
}

/** The oldest retired value goes when one more is retired. */
function forgottenBy(before: SecretState): readonly string[] {
  if (before.at === "absent" || before.retired.length < RETIRED_VALUES_MAX) return [];
  return before.retired.slice(0, 1);
}
