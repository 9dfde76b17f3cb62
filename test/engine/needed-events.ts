import type { LoadedFact, PathEvent } from "../../src/engine/view/path-event.ts";

/**
 * The events that make the same transcript as the whole path: all from the newest compaction's `keptFrom` on, and before
 * it only the small ones that later events refer to, such as the admission of a turn that starts later.
 */
export function neededEvents(path: readonly PathEvent[]): readonly PathEvent[] {
  const compactedAt = path.findLastIndex(({ fact }) => fact?.type === "context.compacted@1");
  const fact = path[compactedAt]?.fact;
  if (fact?.type !== "context.compacted@1") return path;
  const { keptFrom } = fact.data;
  const from = keptFrom === null ? compactedAt : path.findIndex(({ id }) => id === keptFrom);
  return from <= 0 ? path : path.filter((event, index) => index >= from || isSmall(event));
}

function isSmall({ fact }: PathEvent): boolean {
  return fact !== null && REFERRED_TO.has(fact.type);
}

const REFERRED_TO: ReadonlySet<LoadedFact["type"]> = new Set([
  "turn.admitted@1",
  "turn.attached@1",
  "turn.started@1",
  "turn.ended@1",
  "turn.steered@1",
  "step.started@1",
  "step.ended@1",
  "context.composed@1",
  "todo.replaced@1",
] as const);
