import { AGGREGATES, createDefinitions, type Definitions } from "../domains/index.ts";
import type { Aggregate } from "../kernel/index.ts";

/** The built-in definitions, which stores and their threads share. */
export const HOUSE: Definitions = createDefinitions(AGGREGATES);

/**
 * The definitions of a store's log. `module` is the address of a file that exports `AGGREGATES`: threads cannot receive
 * functions, so each loads the same list.
 */
export async function loadDefinitions(module: string | null): Promise<Definitions> {
  if (module === null) return HOUSE;
  const loaded: { readonly AGGREGATES: readonly Aggregate[] } = await import(module);
  return createDefinitions(loaded.AGGREGATES);
}
