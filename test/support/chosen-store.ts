import { createHash } from "node:crypto";
import { schemaUrl, sharedServer } from "./postgres.ts";

/** Where daemons of this run keep their log: NOMOS_TEST_STORE says. */
export const CHOSEN_STORE: "postgres" | "sqlite" =
  process.env["NOMOS_TEST_STORE"] === "postgres" ? "postgres" : "sqlite";

/** What a daemon on this home is told about it. On PostgreSQL every home has a schema of its own. */
export function storeEnvironment(home: string): { readonly NOMOS_STORE?: string } {
  if (CHOSEN_STORE === "sqlite") return {};
  const schema = `home_${createHash("sha256").update(home).digest("hex").slice(0, 20)}`;
  return { NOMOS_STORE: schemaUrl(sharedServer(), schema) };
}
