import {
  createPlaintextMover,
  createSecretUses,
  type OpenedHome,
  openSecrets,
  type SecretUses,
} from "../services/index.ts";
import type { Services } from "../syscalls/index.ts";
import type { WritableLog } from "./open-log.ts";

/** The vault, opened before anything is said: the redactor then knows every value from the first text on. */
export async function openSealed(
  opened: OpenedHome,
  written: WritableLog,
  operatorHolds: readonly string[],
): Promise<Pick<Services, "secrets" | "fingerprints" | "plaintext"> & { readonly secretUses: SecretUses }> {
  const { fingerprints, redactor, log } = opened;
  const parts = { ...opened, ...written, operatorHolds, log: log.write };
  const secrets = await openSecrets({ ...parts, learn: redactor.learn });
  const plaintext = createPlaintextMover({ config: opened.config, redactor, secrets, fingerprints });
  return { fingerprints, secrets, plaintext, secretUses: createSecretUses(secrets, opened.store) };
}
