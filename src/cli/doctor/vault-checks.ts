import type { OutputOf } from "../../client/index.ts";
import { counted } from "../print/spell.ts";
import { type Check, fine, warning } from "./check.ts";

type Vault = OutputOf<"system.doctor">["vault"];

/** A locked vault is no fault of the log, and everything but secrets works. Undefined from an older daemon. */
export function vaultChecks(vault: Vault | undefined): readonly Check[] {
  if (vault === undefined) return [];
  const { state, holder, says, remedy, secrets, lost } = vault;
  if (state === "locked") return [warning("vault", `locked: ${says ?? ""}`, remedy ?? "Run `nomos secret unlock`.")];
  if (lost > 0)
    return [
      warning(
        "vault",
        `${counted(lost, "secret")} without a value`,
        "Run `nomos secret list` to see which, then give each again: `nomos secret rotate NAME`.",
      ),
    ];
  return [fine("vault", holder === null ? "no secrets yet" : `${counted(secrets, "secret")}, key kept by: ${holder}`)];
}
