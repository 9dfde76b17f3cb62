import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";
import { Holder, VaultStatus, vaultStatus } from "./secret-wire.ts";

const PASSPHRASE_CHARS = { min: 10, max: 1024 } as const;
const KEY_CHARS_MAX = 16_384;

const Passphrase = z.string().max(PASSPHRASE_CHARS.max);

/** The vault as a whole: its key, and the way out when the key is gone. */
export const vault: readonly Syscall[] = [
  write({
    name: "secret.unlock",
    summary: "Open the vault with its passphrase or a copy of its key; with neither, look for its key again",
    permission: "secret.admin",
    roles: [],
    rights: "person",
    needs: ["secrets", "store"],
    about: "system",
    input: z.object({
      passphrase: Passphrase.optional(),
      key: z.string().max(KEY_CHARS_MAX).optional().describe("the text of a `keys/vault.key`"),
    }),
    confidential: ["passphrase", "key"],
    output: VaultStatus,
    errors: ["vault_key_wrong", "vault_locked"],
    http: { method: "POST", path: "/api/vault/unlock" },
    cli: { positional: [], says: ["The vault is open: {secrets|secret}."] },
    idempotent: true,
    commit: (context, given) => {
      if (given.passphrase !== undefined && given.key !== undefined)
        throw new NomosError("invalid_request", { field: "key" }, { message: "Give a passphrase or a key, not both." });
      return context.services.secrets.unlock(given, byOf(context));
    },
    answer: ({ services }) => vaultStatus(services),
  }),
  write({
    name: "secret.rekey",
    summary: "Seal the vault with a new key, kept in a file, the system's keyring or behind a passphrase",
    permission: "secret.admin",
    roles: [],
    rights: "person",
    needs: ["secrets", "store"],
    about: "system",
    input: z.object({
      to: Holder.optional().describe("who keeps the key; default: who keeps it now"),
      passphrase: Passphrase.optional().describe(`for \`passphrase\`: at least ${PASSPHRASE_CHARS.min} characters`),
    }),
    confidential: ["passphrase"],
    output: VaultStatus,
    errors: ["vault_locked", "keyring_unavailable", "disk_full", "home_unusable"],
    http: { method: "POST", path: "/api/vault/rekey" },
    cli: { positional: [], says: ["The vault has a new key, kept by: {holder}."] },
    commit: (context, { to, passphrase }) => {
      const { secrets } = context.services;
      const state = secrets.state();
      const holder = to ?? (state.at === "open" ? state.holder : null) ?? "file";
      if (holder === "passphrase" && (passphrase?.length ?? 0) < PASSPHRASE_CHARS.min)
        throw new NomosError(
          "invalid_request",
          { field: "passphrase", charsMin: PASSPHRASE_CHARS.min },
          { message: `\`passphrase\` needs at least ${PASSPHRASE_CHARS.min} characters.` },
        );
      if (holder !== "passphrase" && passphrase !== undefined)
        throw new NomosError(
          "invalid_request",
          { field: "passphrase" },
          { message: "`passphrase` goes with `to: passphrase` alone." },
        );
      return secrets.rekey(holder, passphrase ?? null, byOf(context));
    },
    answer: ({ services }) => vaultStatus(services),
  }),
  write({
    name: "secret.recover",
    summary: "Give up values that nobody can open: names stay, the sealed file is moved aside, a new key is made",
    permission: "secret.admin",
    roles: [],
    rights: "person",
    needs: ["secrets", "store"],
    about: "system",
    input: z.object({ discard: z.literal(true).describe("the values have to be given again") }),
    output: VaultStatus,
    errors: ["home_unusable"],
    http: { method: "POST", path: "/api/vault/recover" },
    cli: {
      positional: [],
      says: ["The vault is open: {secrets|secret}.", "Next: nomos secret list shows which have no value"],
    },
    destructive: true,
    idempotent: true,
    commit: (context) => context.services.secrets.discard(byOf(context)),
    answer: ({ services }) => vaultStatus(services),
  }),
];
