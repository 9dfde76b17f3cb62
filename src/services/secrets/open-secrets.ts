import type { Committer } from "../../commit/index.ts";
import { type Fingerprints, type Keyring, openVault, type VaultFiles } from "../../host/index.ts";
import type { Store } from "../../store/index.ts";
import { ownWords } from "./own-words.ts";
import { createOwners } from "./owner.ts";
import { createSecrets, type Secrets, type SecretsDeps } from "./secrets.ts";
import { createVaultCare } from "./vault-care.ts";

/** Opens the vault of a home. A vault that cannot be opened is locked; it never stops the daemon. */
export async function openSecrets(deps: {
  readonly home: string;
  readonly store: Store;
  readonly committer: Committer;
  readonly fingerprints: Fingerprints;
  readonly newId: () => string;
  readonly learn: SecretsDeps["learn"];
  /** Every capability of the operator. */
  readonly operatorHolds: readonly string[];
  readonly log: (message: string, details: object) => void;
  /** Tests hand in files that fail and a keyring of their own. */
  readonly files?: VaultFiles;
  readonly keyring?: () => Promise<Keyring | null>;
}): Promise<Secrets> {
  const { home, store, committer, fingerprints, newId, learn, operatorHolds, log, files, keyring } = deps;
  const ports = { ...(files === undefined ? {} : { files }), ...(keyring === undefined ? {} : { keyring }) };
  const vault = await openVault(home, ports);
  const care = createVaultCare({ vault, store, committer, learn });
  await care.settle().catch((thrown: unknown) => {
    // Values that nobody names stay until the next start.
    log("the vault was not tidied", { reason: thrown instanceof Error ? thrown.message : String(thrown) });
  });
  const state = vault.state();
  if (state.at === "locked") log("the vault is locked", { why: state.why });
  const owners = createOwners(store, operatorHolds);
  return createSecrets({ vault, store, committer, fingerprints, owners, newId, learn, ownWords: ownWords(home) }, care);
}
