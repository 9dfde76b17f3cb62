import { StoreError } from "../../port.ts";

/** Where a log lies: a database, and the schema in it. */
export interface PostgresAddress {
  /** As it was given, without what only we understand. Holds the password: never to be shown. */
  readonly connectionString: string;
  /** To name the database by in messages. */
  readonly shown: string;
  readonly schema: string;
}

const DEFAULT_SCHEMA = "nomos";
/** Short enough that the channel of the same name is one too. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,49}$/;

export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:/.test(text);
}

/** `postgres://user:password@host:port/database?schema=nomos`, and whatever else the driver understands. */
export function parseAddress(url: string, schema?: string): PostgresAddress {
  // No cause: the parser's error would carry the password along.
  if (!URL.canParse(url) || !isPostgresUrl(url))
    throw new StoreError("store_unreachable", { reason: "this is not the address of a PostgreSQL database" });
  const parsed = new URL(url);
  const chosen = schema ?? parsed.searchParams.get("schema") ?? DEFAULT_SCHEMA;
  if (!SCHEMA.test(chosen))
    throw new StoreError("store_unreachable", { reason: "a schema's name is made of a-z, 0-9 and _", schema: chosen });
  parsed.searchParams.delete("schema");
  return { connectionString: parsed.href, shown: withoutPassword(url), schema: chosen };
}

/** What may stand in an answer or in a log. What cannot be read may hold anything and is not shown at all. */
export function withoutPassword(url: string): string {
  if (!URL.canParse(url) || !isPostgresUrl(url)) return HIDDEN;
  const shown = new URL(url);
  if (shown.password !== "") shown.password = HIDDEN;
  for (const name of [...shown.searchParams.keys()]) if (name !== "schema") shown.searchParams.set(name, HIDDEN);
  return shown.href;
}

const HIDDEN = "***";
