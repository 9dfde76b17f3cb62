import type { Client } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";

/** Earlier prompts, to be sent again or changed. */
export interface PromptHistory {
  readonly add: (text: string) => void;
  /** The one before; null when there is none. `typed` comes back with `later`. */
  readonly earlier: (typed: string) => string | null;
  readonly later: () => string | null;
  /** Resolves when the prompts were read. */
  readonly ready: Promise<void>;
}

const PROMPTS_MAX = 100;

/** The session's own prompts, from the log: a prompt that was erased there is in no other file. */
export function openPromptHistory(client: Client, id: string): PromptHistory {
  const prompts: string[] = [];
  let at = -1;
  let draft = "";
  const load = async (): Promise<void> => {
    const types = ["turn.admitted@1"];
    const { events } = await client.call("session.events", { id, order: "desc", limit: PROMPTS_MAX, types });
    for (const { data } of events) prompts.push(String(memberOf(data, "prompt") ?? ""));
  };
  return {
    ready: load().catch(() => undefined),
    add: (text) => {
      prompts.unshift(text);
      at = -1;
    },
    earlier: (typed) => {
      if (at + 1 >= prompts.length) return null;
      if (at < 0) draft = typed;
      at += 1;
      return prompts[at] ?? null;
    },
    later: () => {
      if (at < 0) return null;
      at -= 1;
      return at < 0 ? draft : (prompts[at] ?? null);
    },
  };
}
