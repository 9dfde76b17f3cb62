import { createHash } from "node:crypto";
import { schemaUrl, sharedServer } from "./postgres.ts";

/** Which store the daemons of this run use, set by NOMOS_TEST_STORE. */
export const CHOSEN_STORE: "postgres" | "sqlite" =
  process.env["NOMOS_TEST_STORE"] === "postgres" ? "postgres" : "sqlite";

/** The configuration for a daemon on this home. On PostgreSQL every home has its own schema. */
export function storeEnvironment(home: string): { readonly NOMOS_STORE?: string } {
  if (CHOSEN_STORE === "sqlite") return {};
  const schema = `home_${createHash("sha256").update(home).digest("hex").slice(0, 20)}`;
  return { NOMOS_STORE: schemaUrl(sharedServer(), schema) };
}
