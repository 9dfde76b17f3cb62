import { NomosError } from "../../contract/index.ts";
import type { LockReason, VaultState } from "../../host/index.ts";

const BRING =
  "Bring a copy of its key: `nomos secret unlock --key-file FILE`. If there is none, `nomos secret recover --discard` starts over: names stay, values have to be given again.";

/** What happened, and what to do about it, for each reason why a vault stays locked. */
export const LOCKED: { readonly [why in LockReason]: { readonly says: string; readonly remedy: string } } = {
  passphrase: { says: "Its key is sealed with a passphrase.", remedy: "Run `nomos secret unlock`." },
  no_key: { says: "Its key is not in this home, as after a restore on another machine.", remedy: BRING },
  wrong_key: { says: "The key in this home does not open it.", remedy: BRING },
  keyring: {
    says: "Its key is in the system's keyring, which cannot be asked.",
    remedy: "Unlock the keyring on this user's D-Bus, then run `nomos secret unlock`; or bring a copy of the key.",
  },
  damaged: {
    says: "Its file is damaged or cut short.",
    remedy:
      "Put `vault/secrets.age` of a backup in its place and restart. If there is none, `nomos secret recover --discard` starts over: names stay, values have to be given again.",
  },
  newer: {
    says: "A newer version of Nomos wrote its file.",
    remedy: "Run that version. Nothing was changed.",
  },
};

export function lockedError(state: Extract<VaultState, { at: "locked" }>): NomosError {
  const { says, remedy } = LOCKED[state.why];
  const because = state.says === null ? "" : ` (${state.says})`;
  return new NomosError(
    "vault_locked",
    { why: state.why },
    { message: `The vault is locked. ${says}${because}`, remedy },
  );
}
