import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of the vault and its secrets. None of them holds a value. */
export const SECRET_ERRORS = {
  secret_not_found: entry(
    404,
    4,
    "There is no such secret.",
    "Run `nomos secret list` to see the names and scopes of your secrets.",
  ),
  secret_exists: entry(
    409,
    5,
    "A secret with this name exists already in this scope.",
    "Run `nomos secret rotate NAME` to replace its value, or choose another name or `--scope`.",
  ),
  secret_ambiguous: entry(
    409,
    5,
    "Several secrets have this name.",
    "Name one by its scope: `--scope workspace:SLUG`, `agent:SLUG` or `session:ID`.",
  ),
  secret_value_refused: entry(
    400,
    2,
    "This value cannot be a secret.",
    "Use a value of 8 to 65,536 bytes that is no common word: every secret is replaced wherever it stands in a text.",
  ),
  secret_lost: entry(
    409,
    5,
    "The value of this secret is lost: the vault does not hold it.",
    "Give it again: `nomos secret rotate NAME`.",
  ),
  secret_not_variable: entry(
    400,
    2,
    "This secret cannot be an environment variable of a session.",
    "Name the variable: `nomos secret bind NAME` with `env`, or seal it under another name.",
  ),
  vault_locked: entry(503, 6, "The vault is locked.", "Run `nomos secret unlock`."),
  vault_key_wrong: entry(
    403,
    3,
    "This does not open the vault.",
    "Check the passphrase, or bring the key of the home that sealed it: `nomos secret unlock --key-file FILE`.",
  ),
  vault_full: entry(
    409,
    5,
    "The vault has no room for this secret.",
    "Remove secrets that nobody uses: `nomos secret list`, `nomos secret remove NAME`.",
  ),
  keyring_unavailable: entry(
    503,
    6,
    "The system's keyring cannot be used.",
    "Start a keyring (such as gnome-keyring or KWallet) on this user's D-Bus, or keep the key elsewhere: `nomos secret rekey --to file`.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
