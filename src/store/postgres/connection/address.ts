import { StoreError } from "../../port.ts";

/** Where a log is: a database and a schema in it. */
export interface PostgresAddress {
  /** The given address without our own parameters. Contains the password: never show it. */
  readonly connectionString: string;
  /** The database's name in messages, without a password. */
  readonly shown: string;
  readonly schema: string;
}

const DEFAULT_SCHEMA = "nomos";
/** Short enough that `nomos_<schema>` is a valid channel name too. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,49}$/;

export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:/.test(text);
}

/** `postgres://user:password@host:port/database?schema=nomos`, and any other parameter of the driver. */
export function parseAddress(url: string, schema?: string): PostgresAddress {
  // Without a cause: the parser's error would contain the password.
  if (!URL.canParse(url) || !isPostgresUrl(url))
    throw new StoreError("store_unreachable", { reason: "this is not the address of a PostgreSQL database" });
  const parsed = new URL(url);
  const chosen = schema ?? parsed.searchParams.get("schema") ?? DEFAULT_SCHEMA;
  if (!SCHEMA.test(chosen))
    throw new StoreError("store_unreachable", { reason: "a schema's name is made of a-z, 0-9 and _", schema: chosen });
  parsed.searchParams.delete("schema");
  return { connectionString: parsed.href, shown: withoutPassword(url), schema: chosen };
}

/** An address that is safe to show. An address that cannot be parsed is not shown at all. */
export function withoutPassword(url: string): string {
  if (!URL.canParse(url) || !isPostgresUrl(url)) return HIDDEN;
  const shown = new URL(url);
  if (shown.password !== "") shown.password = HIDDEN;
  for (const name of [...shown.searchParams.keys()]) if (name !== "schema") shown.searchParams.set(name, HIDDEN);
  return shown.href;
}

const HIDDEN = "***";
