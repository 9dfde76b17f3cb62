import type { LogEvent } from "../../../src/client/index.ts";
import { memberOf } from "../../../src/kernel/index.ts";

export interface Mark {
  readonly version: number;
  readonly seq: number;
  readonly kind: "turn" | "question" | "error" | "rewind" | "fork";
  readonly text: string;
}

const TEXT_CHARS_MAX = 80;

/** Where a turn began, a question was asked, or something went wrong; null elsewhere. */
export function markIn({ version, seq, type, data }: LogEvent): Mark | null {
  const mark = (kind: Mark["kind"], text: unknown): Mark => ({
    ...{ version, seq, kind },
    text: String(text ?? "").slice(0, TEXT_CHARS_MAX),
  });
  switch (type) {
    case "turn.admitted@1":
      return mark("turn", `Prompt: ${String(memberOf(data, "prompt") ?? "")}`);
    case "turn.ended@1": {
      const outcome = memberOf(data, "outcome");
      return outcome === "completed" ? null : mark("error", `Turn ${String(outcome)}`);
    }
    case "approval.requested@1":
      return mark("question", `Question: ${String(memberOf(data, "question") ?? "")}`);
    case "session.rewound@1":
      return mark("rewind", "Rewound");
    case "session.failed@1":
      return mark("error", memberOf(data, "message"));
    default:
      return null;
  }
}
