import type { Aggregate } from "../kernel/index.ts";
import type { Store } from "../store/index.ts";

/** Tests streams by name alone, because it runs for every appended event. */
export interface Kinds {
  readonly isEmpty: boolean;
  readonly has: (stream: string) => boolean;
}

export function kindsWith({ definitions }: Pick<Store, "definitions">, is: (of: Aggregate) => boolean): Kinds {
  const kinds = new Set(definitions.aggregates.filter(is).map(({ kind }) => kind));
  return { isEmpty: kinds.size === 0, has: (stream) => kinds.has(stream.split("/", 1)[0] ?? "") };
}
