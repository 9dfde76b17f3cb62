import { event, factsOf, out } from "../../src/kernel/index.ts";

/** How a reminder behaves when it is due. */
export interface Plan {
  readonly dueAt: string;
  /** How often it repeats, and after how long; 0: once. */
  readonly times: number;
  readonly everyMs: number;
  readonly priority: number;
  /** A planted bug: ringing does not end the alarm. */
  readonly neverEnds: boolean;
}

export const REMINDER_EVENTS = {
  "reminder.set@1": event<Plan>({ spaceNeed: "start" }),
  "reminder.written@1": event<{ readonly text: string; readonly blob: string | null }>({
    erasable: true,
    spaceNeed: "start",
    words: ({ text }) => text,
    lines: ({ text }) => out(text),
  }),
  "reminder.rang@1": event<{ readonly dueAt: string }>({ lines: ({ dueAt }) => out(`[rang] ${dueAt}`) }),
  "reminder.held@1": event<{ readonly by: string | null }>(),
  "reminder.started@1": event<{ readonly turn: number }>(),
  "reminder.done@1": event<object>(),
};

export const reminderFact = factsOf(REMINDER_EVENTS);
