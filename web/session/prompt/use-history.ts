import { useRef } from "preact/hooks";
import { memberOf } from "../../../src/kernel/index.ts";
import { nomos } from "../../frame/index.ts";

const HISTORY_MAX = 50;

/** Earlier prompts of the session, newest first: `step(1)` goes back. Null: there is none. */
export function useHistory(id: string): (by: 1 | -1, now: string) => Promise<string | null> {
  const held = useRef<{ readonly prompts: readonly string[]; readonly draft: string; at: number } | null>(null);
  return async (by, now) => {
    if (held.current === null || (held.current.at === -1 && by === 1)) {
      const input = { id, types: ["turn.admitted"], order: "desc", limit: HISTORY_MAX } as const;
      const { events } = await nomos().call("session.events", input);
      const prompts = events.map(({ data }) => String(memberOf(data, "prompt") ?? "")).filter((text) => text !== "");
      held.current = { prompts, draft: now, at: -1 };
    }
    const { prompts, draft, at } = held.current;
    const next = Math.min(Math.max(-1, at + by), prompts.length - 1);
    held.current.at = next;
    return next === -1 ? draft : (prompts[next] ?? null);
  };
}
