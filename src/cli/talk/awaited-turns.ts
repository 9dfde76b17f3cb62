import type { StreamItem } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { type EndedTurn, turnErrorIn } from "../follow-turn.ts";

/** Which turns a person waits for: one that is named or the first one admitted, and those typed meanwhile. */
export interface AwaitedTurns {
  readonly hear: (type: string, data: unknown) => void;
  readonly typed: (turnId: string) => void;
  readonly isShown: (item: StreamItem) => boolean;
  readonly isOver: () => boolean;
  /** The turn that is waited for, when it has ended. */
  readonly ended: () => EndedTurn | null;
}

/** Null: no turn is waited for, and everything is shown. */
export function createAwaitedTurns(until: { readonly turnId: string | null } | null): AwaitedTurns {
  let wanted = until?.turnId ?? null;
  let last: EndedTurn | null = null;
  const open = new Set<string>();
  const ended = new Set<string>();
  return {
    hear: (type, data) => {
      const turnId = String(memberOf(data, "turnId"));
      if (type === "turn.admitted@1") wanted ??= turnId;
      if (type !== "turn.ended@1") return;
      ended.add(turnId);
      open.delete(turnId);
      if (turnId === wanted) last = { turnId, outcome: String(memberOf(data, "outcome")), error: turnErrorIn(data) };
    },
    typed: (turnId) => {
      // The end of the turn may arrive before the answer to the prompt.
      if (!ended.has(turnId)) open.add(turnId);
    },
    // Skips the turns queued ahead of the one it waits for; events outside any turn are shown.
    isShown: (item) => {
      if (until === null || item.event !== "event" || wanted === null) return true;
      const turnId = memberOf(item.data.data, "turnId");
      return typeof turnId !== "string" || turnId === wanted || open.has(turnId);
    },
    isOver: () => until !== null && last !== null && open.size === 0,
    ended: () => last,
  };
}
