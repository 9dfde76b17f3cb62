import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { HOME_SCOPE, SECRET_BYTES, SECRET_EVENTS, SecretStream } from "../../domains/index.ts";
import { dataIn, idIn } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import { type Context, read, type Syscall, write } from "../define.ts";
import { Limit } from "../query-text.ts";
import { byOf } from "../session/answer.ts";
import { plaintext } from "./plaintext.ts";
import { scan } from "./scan.ts";
import { Bind, bindingsOf, Name, Scope, ScopeText, SecretWire, scopeOf, secretWire } from "./secret-wire.ts";
import { vault } from "./vault.ts";

const LISTED_MAX = 1000;
const IMPORTED_MAX = 1000;

/** The service says why a value is refused; this only bounds what is read. */
const Value = z.string().max(SECRET_BYTES.max * 2);
const Owner = z
  .string()
  .max(128)
  .optional()
  .describe("for the operator: the principal that owns it, `token:ID`; default: yours");
const Ref = { name: Name, scope: ScopeText.optional(), owner: Owner };
const CHANGE_ERRORS = ["secret_not_found", "secret_ambiguous", "quota_exceeded", "disk_low"] as const;
const SEAL_ERRORS = ["secret_value_refused", "vault_locked", "vault_full", "disk_full", "home_unusable"] as const;

export const secret: readonly Syscall[] = [
  write({
    name: "secret.set",
    summary: "Seal a new secret in the vault; its value is never shown again",
    permission: "secret.write",
    roles: [],
    needs: ["secrets", "store"],
    about: "system",
    input: z.object({ name: Name, value: Value, scope: Scope.optional(), bind: Bind.optional() }),
    confidential: ["value"],
    output: SecretWire,
    errors: ["secret_exists", ...SEAL_ERRORS, "quota_exceeded", "disk_low", "session_not_found"],
    http: { method: "POST", path: "/api/secrets", status: 201 },
    cli: {
      positional: ["name"],
      says: ["Sealed {name}: {bytes} bytes, fingerprint {fingerprint}.", "Next: nomos secret list"],
    },
    commit: async (context, { name, value, scope, bind = [] }) => {
      const given = { name, value, bind: bindingsOf(bind), scope: scopeOf(scope) ?? HOME_SCOPE };
      const asker = await askerOf(context);
      await requireSession(context, given.scope, asker);
      return context.services.secrets.set(given, asker, byOf(context));
    },
    answer: (context, _input, events) => asOf(context, events),
  }),
  write({
    name: "secret.import",
    summary: "Seal many secrets at once, as from a .env file; what cannot be a secret is skipped and named",
    permission: "secret.write",
    roles: [],
    needs: ["secrets", "store"],
    about: "system",
    input: z.object({
      entries: z
        .array(z.object({ name: z.string().min(1).max(256), value: Value }))
        .min(1)
        .max(IMPORTED_MAX),
      scope: Scope.optional(),
    }),
    confidential: ["entries"],
    output: z.object({
      imported: z.array(z.string()),
      skipped: z.array(z.object({ name: z.string(), reason: z.string(), says: z.string() })),
    }),
    errors: ["secret_exists", ...SEAL_ERRORS, "quota_exceeded", "disk_low", "session_not_found"],
    http: { method: "POST", path: "/api/secrets/import", status: 201 },
    cli: { positional: [], says: ["Imported: {imported}."], rows: "skipped" },
    commit: async (context, { entries, scope }) => {
      const to = scopeOf(scope) ?? HOME_SCOPE;
      const asker = await askerOf(context);
      await requireSession(context, to, asker);
      // The last of two lines with one name wins, as in a shell.
      const last = new Map(entries.map(({ name, value }) => [name, value]));
      const named = [...last].filter(([name]) => Name.safeParse(name).success);
      const given = named.map(([name, value]) => ({ name, value, scope: to, bind: [] }));
      return context.services.secrets.import(given, asker, byOf(context));
    },
    answer: async ({ services }, { entries }, events) => {
      const imported = events.flatMap((event) => dataIn(SECRET_EVENTS, [event], "secret.sealed@1")?.name ?? []);
      const others = new Map(entries.map(({ name, value }) => [name, value]));
      for (const name of imported) others.delete(name);
      const why = (name: string, value: string) =>
        Name.safeParse(name).success ? (services.secrets.fault(value) ?? EXISTS) : BAD_NAME;
      const skipped = [...others].map(([name, value]) => ({ name, ...why(name, value) }));
      return { imported, skipped };
    },
  }),
  read({
    name: "secret.list",
    summary: "List your secrets: names, scopes and uses, never values",
    permission: "secret.read",
    roles: [],
    needs: ["secrets"],
    about: "system",
    input: z.object({
      scope: ScopeText.optional(),
      after: z.string().max(400).optional().describe("a `next` of an earlier page"),
      limit: Limit(LISTED_MAX),
    }),
    output: z.object({ secrets: z.array(SecretWire), next: z.string().nullable() }),
    errors: [],
    http: { method: "GET", path: "/api/secrets" },
    cli: { positional: [] },
    answer: async (context, { scope, after, limit = LISTED_MAX }) => {
      const asker = await askerOf(context);
      const { secrets, next } = await context.services.secrets.list({ scope: scopeOf(scope), after, limit }, asker);
      return { secrets: secrets.map(secretWire), next };
    },
  }),
  read({
    name: "secret.show",
    summary: "Show a secret's length, age, scope, last use and fingerprint, never its value",
    permission: "secret.read",
    roles: [],
    needs: ["secrets"],
    about: "system",
    input: z.object(Ref),
    output: SecretWire,
    errors: ["secret_not_found", "secret_ambiguous"],
    http: { method: "GET", path: "/api/secrets/:name" },
    cli: { positional: ["name"] },
    answer: async (context, { name, scope, owner }) => {
      const asker = await askerOf(context);
      return secretWire(await context.services.secrets.show({ name, scope: scopeOf(scope), owner }, asker));
    },
  }),
  write({
    name: "secret.rotate",
    summary: "Replace a secret's value; the earlier one stays known to the redactor",
    permission: "secret.write",
    roles: [],
    needs: ["secrets", "store"],
    about: "system",
    input: z.object({ ...Ref, value: Value }),
    confidential: ["value"],
    output: SecretWire,
    errors: [...CHANGE_ERRORS, ...SEAL_ERRORS],
    http: { method: "PUT", path: "/api/secrets/:name" },
    cli: { positional: ["name"], says: ["Rotated {name}: {bytes} bytes, fingerprint {fingerprint}."] },
    commit: async (context, { name, scope, owner, value }) => {
      const ref = { name, scope: scopeOf(scope), owner };
      return context.services.secrets.rotate(ref, value, await askerOf(context), byOf(context));
    },
    answer: (context, _input, events) => asOf(context, events),
  }),
  write({
    name: "secret.bind",
    summary: "Say where a secret may be sent: hosts, header, methods, paths; replaces what was said before",
    permission: "secret.write",
    roles: [],
    needs: ["secrets", "store"],
    about: "system",
    input: z.object({ ...Ref, bind: Bind }),
    output: SecretWire,
    errors: [...CHANGE_ERRORS],
    http: { method: "POST", path: "/api/secrets/:name/bind" },
    cli: { positional: ["name"], files: ["bind"], says: ["{name} is bound to {bind.length|host}."] },
    idempotent: true,
    commit: async (context, { name, scope, owner, bind }) => {
      const ref = { name, scope: scopeOf(scope), owner };
      return context.services.secrets.bind(ref, bindingsOf(bind), await askerOf(context), byOf(context));
    },
    answer: (context, _input, events) => asOf(context, events),
  }),
  write({
    name: "secret.remove",
    summary: "Remove a secret; its value stays known to the redactor",
    permission: "secret.write",
    roles: [],
    needs: ["secrets"],
    about: "system",
    input: z.object(Ref),
    output: z.object({ ok: z.literal(true), name: z.string() }),
    errors: ["secret_not_found", "secret_ambiguous"],
    http: { method: "DELETE", path: "/api/secrets/:name" },
    cli: { positional: ["name"], says: ["Removed {name}."] },
    destructive: true,
    commit: async (context, { name, scope, owner }) => {
      const ref = { name, scope: scopeOf(scope), owner };
      return context.services.secrets.remove(ref, await askerOf(context), byOf(context));
    },
    answer: async (_context, { name }) => ({ ok: true as const, name }),
  }),
  ...vault,
  ...scan,
  ...plaintext,
];

const BAD_NAME = { reason: "name", says: "a name has letters, digits, `_`, `.` and `-`, and no digit first" };
const EXISTS = { reason: "exists", says: "a secret with this name exists already: rotate it" };

async function askerOf({ services, actor }: Context<"secrets">): Promise<string> {
  return services.secrets.owners.ofPrincipal(actor.principal);
}

/** A session of somebody else answers as one that does not exist. */
async function requireSession(
  { services }: Context<"secrets">,
  scope: { readonly kind: string; readonly name?: string },
  asker: string,
): Promise<void> {
  if (scope.kind !== "session") return;
  const place = await services.secrets.owners.placeOf(scope.name ?? "");
  if (place === null || (asker !== "operator" && place.owner !== asker))
    throw new NomosError("session_not_found", { id: scope.name ?? "" });
}

/** The secret as it was after these events, also for a repeated call. */
async function asOf({ services }: Context<"store">, events: readonly RecordedEvent[]) {
  const last = events.at(-1);
  const id = (last === undefined ? null : idIn(SecretStream, last.stream)) ?? "";
  const state = last === undefined ? null : await services.store.fold(SecretStream, id, last.version);
  if (state === null || state.at === "absent") throw new NomosError("internal", { reason: "no secret was written" });
  return secretWire({ ...state.secret, id });
}
