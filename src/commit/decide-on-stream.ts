import { type Aggregate, type AnyFact, evolveBy, type Folding, type Placed, streamOf } from "../kernel/index.ts";
import type { Store } from "../store/index.ts";

/** Splits a stream's name into aggregate and id. */
export function subjectIn({ definitions }: Pick<Store, "definitions">, stream: string): { of: Aggregate; id: string } {
  const found = definitions.kindOf(stream);
  if (found === null) throw new TypeError(`no kind of stream is called as in ${stream}`);
  return found;
}

/** The state after these facts, so that a decision can be checked before it is appended. */
export function stateAfter<State extends Folding>(
  of: Aggregate<State>,
  state: State,
  facts: readonly AnyFact[],
  at: string,
): State {
  return facts.reduce((before, fact) => {
    const placed: Placed = { id: streamOf(of, ""), version: before.version + 1, at, fact };
    return evolveBy(of, before, placed);
  }, state);
}
