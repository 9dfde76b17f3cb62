import { useEffect, useState } from "preact/hooks";
import type { LogEvent } from "../../../src/client/index.ts";
import { memberOf } from "../../../src/kernel/index.ts";
import { nomos } from "../../frame/index.ts";

export interface Mark {
  readonly version: number;
  readonly seq: number;
  readonly eventId: string;
  readonly kind: "turn" | "question" | "error" | "rewind" | "fork";
  readonly text: string;
}

const MARKED = ["turn.admitted", "turn.ended", "approval.requested", "session.rewound", "session.failed"];
const MARKS_MAX = 1_000;
const TEXT_CHARS_MAX = 80;

/** Where turns began, questions were asked, and things went wrong: the newest of them. */
export function useMarks(id: string, changes: number): readonly Mark[] {
  const [marks, setMarks] = useState<readonly Mark[]>([]);
  useEffect(() => {
    const leave = new AbortController();
    nomos()
      .call("session.events", { id, types: MARKED, order: "desc", limit: MARKS_MAX }, { signal: leave.signal })
      .then(
        ({ events }) => leave.signal.aborted || setMarks(events.toReversed().flatMap((event) => markIn(event) ?? [])),
        // The slider works without marks; the page shows what is wrong elsewhere.
        () => undefined,
      );
    return () => leave.abort();
  }, [id, changes]);
  return marks;
}

function markIn(event: LogEvent): Mark | null {
  const { version, seq, id: eventId, type, data } = event;
  const mark = (kind: Mark["kind"], text: unknown): Mark => ({
    ...{ version, seq, eventId, kind },
    text: String(text ?? "").slice(0, TEXT_CHARS_MAX),
  });
  switch (type) {
    case "turn.admitted@1":
      return mark("turn", `Prompt: ${String(memberOf(data, "prompt") ?? "")}`);
    case "turn.ended@1":
      return memberOf(data, "outcome") === "completed"
        ? null
        : mark("error", `Turn ${String(memberOf(data, "outcome"))}`);
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
