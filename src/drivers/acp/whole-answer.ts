import type { Update } from "../update.ts";
import type { UsageLimit } from "../usage-limit.ts";
import { ANSWER_CHARS_MAX, usageLimitAsAnswer, usageLimitIn } from "../usage-limit.ts";

/** What an agent answered in a turn, as long as that is short and all it did. */
export interface WholeAnswer {
  readonly hear: (update: Update) => void;
  /** The usage limit that the answer reports; null for any other answer. */
  readonly limit: (stopReason: string, nowMs: number) => UsageLimit | null;
}

export function createWholeAnswer(): WholeAnswer {
  let text = "";
  let isAll = true;
  return {
    hear: (update) => {
      if (update.is === "tool" || update.is === "plan") isAll = false;
      if (update.is !== "text" || !isAll) return;
      text = update.whole === true ? update.text : text + update.text;
      if (update.role === "thought" || text.length > ANSWER_CHARS_MAX) isAll = false;
    },
    limit: (stopReason, nowMs) => {
      if (!isAll) return null;
      if (stopReason === "end_turn") return usageLimitAsAnswer(text, nowMs);
      // Such an answer is an error by itself: its text says which.
      return stopReason === "refusal" ? usageLimitIn(text, nowMs) : null;
    },
  };
}
