import type { Definitions } from "../../domains/index.ts";
import { COMMON_EVENTS, readsOf } from "../../kernel/index.ts";
import type { RecordedEvent } from "../port.ts";

const commonFact = readsOf(COMMON_EVENTS);

/** The types that the search index reads: those with searchable text, and the erasure, which removes text. */
export function searchedTypes({ searched }: Definitions): readonly string[] {
  return [...searched, "data.erased@1"];
}

/** The searchable text of an event; null when there is none. */
export function wordsIn(defined: Definitions, { type, data }: RecordedEvent): string | null {
  const fact = data === null ? null : defined.recall(type, data);
  return fact === null ? null : defined.wordsOf(fact);
}

export function erasedIds(event: RecordedEvent): readonly string[] {
  const found = commonFact(event);
  return found?.type === "data.erased@1" ? found.data.events : [];
}
