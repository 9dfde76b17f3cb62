import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import {
  type KeyHolder,
  parseSecretScope,
  SECRETS,
  type Secret,
  type SecretBinding,
  type SecretScope,
} from "../../domains/index.ts";
import { parseHostRule } from "../../host/index.ts";
import { LOCKED, type ShownSecret } from "../../services/index.ts";
import type { Services } from "../services.ts";

/** A space separates name and scope in the list's order, so no name has one. */
export const Name = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/, "letters, digits, `_`, `.` and `-`, at most 128, no digit first");

const Part = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/);
const ScopeMembers = z
  .object({ workspace: Part.optional(), agent: Part.optional(), session: Part.optional() })
  .refine((given) => Object.values(given).filter((one) => one !== undefined).length <= 1, "name one of them at most");

/** As `?scope=` has it: `home`, `workspace:SLUG`, `agent:SLUG`, `session:ID`. */
export const ScopeText = z
  .string()
  .max(150)
  .refine((text) => parseSecretScope(text) !== null, "`home`, `workspace:SLUG`, `agent:SLUG` or `session:ID`");

export const Scope = z.union([ScopeText, ScopeMembers]).describe("default: `home`, every session of its owner");

export function scopeOf(given: z.output<typeof Scope> | undefined): SecretScope | undefined {
  if (given === undefined) return undefined;
  if (typeof given === "string") return parseSecretScope(given) ?? undefined;
  for (const kind of ["session", "agent", "workspace"] as const) {
    const name = given[kind];
    if (name !== undefined) return { kind, name };
  }
  return { kind: "home" };
}

const FORMAT_SLOT = "{secret}";
const Binding = z.object({
  host: z.string().min(1).max(255).describe("`host`, `host:port` or `*.host` that the value may be sent to"),
  header: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/)
    .optional(),
  format: z
    .string()
    .max(256)
    .refine((text) => text.split(FORMAT_SLOT).length === 2, "`{secret}` stands in it once: `Bearer {secret}`")
    .optional(),
  methods: z
    .array(z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]))
    .max(7)
    .optional(),
  paths: z.array(z.string().regex(/^\//, "a path that begins with /").max(512)).max(32).optional(),
  env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
    .optional()
    .describe("the variable that holds the value for the process"),
});

const BINDINGS_MAX = 32;
export const Bind = z.array(Binding).max(BINDINGS_MAX);

export function bindingsOf(given: z.output<typeof Bind>): readonly SecretBinding[] {
  return given.map(({ host, header, format, methods, paths, env }) => {
    if (parseHostRule(host) === null)
      throw new NomosError("invalid_request", { field: "bind", host }, { message: `\`${host}\` names no host.` });
    return {
      host,
      ...(header === undefined ? {} : { header }),
      ...(format === undefined ? {} : { format }),
      ...(methods === undefined ? {} : { methods }),
      ...(paths === undefined ? {} : { paths }),
      ...(env === undefined ? {} : { env }),
    };
  });
}

/** Everything about a secret but its value. */
export const SecretWire = z.object({
  id: z.string().describe("of its stream in the log, `secret/ID`"),
  name: z.string(),
  scope: z.object({ workspace: z.string().optional(), agent: z.string().optional(), session: z.string().optional() }),
  owner: z.string().describe("the principal that set it"),
  bind: z.array(Binding),
  bytes: z.number().int(),
  fingerprint: z.string().describe("equal for equal values in this home"),
  createdAt: z.string(),
  changedAt: z.string(),
  lastUsedAt: z.string().optional(),
  uses: z.number().int(),
  lost: z.boolean().describe("the vault does not hold its value; rotate it to give it again"),
});

export function secretWire(
  given: Secret & Pick<ShownSecret, "id"> & Partial<Pick<ShownSecret, "lost">>,
): z.input<typeof SecretWire> {
  const { id, name, owner, bind, bytes, fingerprint, createdAt, changedAt, lastUsedAt, uses, lost = false } = given;
  const scope = parseSecretScope(given.scope);
  return {
    id,
    name,
    scope: scope === null || scope.kind === "home" ? {} : { [scope.kind]: scope.name },
    owner,
    bind: bind.map(bindingWire),
    bytes,
    fingerprint,
    createdAt,
    changedAt,
    ...(lastUsedAt === null ? {} : { lastUsedAt }),
    uses,
    lost,
  };
}

function bindingWire(given: Secret["bind"][number]): z.input<typeof Binding> {
  return Binding.parse(given);
}

const HOLDERS = ["file", "keyring", "passphrase"] as const satisfies readonly KeyHolder[];
export const Holder = z.enum(HOLDERS);

export const VaultStatus = z
  .object({
    state: z.enum(["open", "locked"]),
    holder: Holder.nullable().describe("who keeps its key; null: there is none yet, or it is locked"),
    why: z.string().nullable().describe("why it is locked"),
    says: z.string().nullable(),
    remedy: z.string().nullable(),
    secrets: z.number().int(),
  })
  .describe("the vault of secrets; while it is locked everything else works");

export async function vaultStatus({
  secrets,
  store,
}: Pick<Services, "secrets" | "store">): Promise<z.input<typeof VaultStatus>> {
  const state = secrets.state();
  const count = await store.count(SECRETS, { present: true });
  if (state.at === "open")
    return { state: state.at, holder: state.holder, why: null, says: null, remedy: null, secrets: count };
  const { says, remedy } = LOCKED[state.why];
  return { state: state.at, holder: null, why: state.why, says, remedy, secrets: count };
}
