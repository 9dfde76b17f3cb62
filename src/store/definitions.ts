import { AGGREGATES } from "../domains/index.ts";
import { type Aggregate, createDefinitions, type Definitions } from "../kernel/index.ts";

/** What this house has defined: the list that stores and their threads share. */
export const HOUSE: Definitions = createDefinitions(AGGREGATES);

/**
 * What a store's log is made of. A store can be opened with more than the house has: `module` is the address of a file
 * that exports `AGGREGATES`, so that a thread, which can be handed no functions, loads the same list.
 */
export async function loadDefinitions(module: string | null): Promise<Definitions> {
  if (module === null) return HOUSE;
  const loaded: { readonly AGGREGATES: readonly Aggregate[] } = await import(module);
  return createDefinitions(loaded.AGGREGATES);
}
