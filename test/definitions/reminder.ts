import {
  type Alarm,
  type Decision,
  defineAggregate,
  defineList,
  type FactOf,
  type Folding,
  type Placed,
  putRow,
  type Queued,
} from "../../src/kernel/index.ts";
import { type Plan, REMINDER_EVENTS, reminderFact } from "./reminder-events.ts";

/** Set, due, waiting for one of two places, running, done: an aggregate that uses everything a definition offers. */
export interface ReminderState extends Folding {
  readonly id: string;
  readonly plan: Plan | null;
  readonly text: string | null;
  /** When it rings next; null: never. */
  readonly dueAt: string | null;
  readonly rang: number;
  readonly heldBy: string | null;
  /** Since when it waits. */
  readonly waitingAt: string | null;
  readonly started: number;
  readonly at: "new" | "set" | "waiting" | "running" | "done";
}

interface ReminderRow {
  readonly id: string;
  readonly text: string | null;
  readonly at: string;
  readonly dueAt: string | null;
}

export const REMINDERS = defineList<ReminderRow>()({
  name: "reminder",
  table: "reminders",
  keys: {
    at: { text: ({ at }) => at, indexed: true },
    due: { text: ({ dueAt }) => dueAt, indexed: true },
    done: { flag: ({ at }) => at === "done", indexed: true },
  },
});

export const REMINDER_LANE = "reminder/desk";

export const Reminder = defineAggregate<ReminderState, typeof REMINDER_EVENTS>({
  kind: "reminder",
  events: REMINDER_EVENTS,
  lists: [REMINDERS],
  empty: (id) => ({
    version: 0,
    id,
    plan: null,
    text: null,
    dueAt: null,
    rang: 0,
    heldBy: null,
    waitingAt: null,
    started: 0,
    at: "new",
  }),
  evolve: (state, event) => ({ ...state, ...changed(state, event), version: event.version }),
  ownRows: ({ text, at, dueAt }, id) => (at === "new" ? [] : [putRow(REMINDERS, id, { id, text, at, dueAt })]),
  alarms: ({ dueAt }): readonly Alarm[] => (dueAt === null ? [] : [{ name: "due", dueAt }]),
  ring: ({ plan, dueAt }, alarm) =>
    plan?.neverEnds === true || dueAt === null ? [] : [reminderFact("reminder.rang@1", { dueAt: alarm.dueAt })],
  queued,
  laneMax: () => 2,
  start: ({ at, started }) => (at === "waiting" ? [reminderFact("reminder.started@1", { turn: started + 1 })] : []),
});

export function setReminder(state: ReminderState, given: Partial<Plan> & Pick<Plan, "dueAt">): Decision {
  const plan = { times: 1, everyMs: 0, priority: 0, neverEnds: false, ...given };
  return state.at === "new" ? [reminderFact("reminder.set@1", plan)] : [];
}

export function writeReminder(text: string, blob: string | null = null): Decision {
  return [reminderFact("reminder.written@1", { text, blob })];
}

export function finishReminder(state: ReminderState): Decision {
  return state.at === "running" ? [reminderFact("reminder.done@1", {})] : [];
}

function changed(state: ReminderState, { at, fact }: Placed<FactOf<typeof REMINDER_EVENTS>>): Partial<ReminderState> {
  switch (fact?.type) {
    case "reminder.set@1":
      return { plan: fact.data, dueAt: fact.data.dueAt, at: "set" };
    case "reminder.written@1":
      return { text: fact.data.text };
    case "reminder.rang@1":
      return {
        rang: state.rang + 1,
        dueAt: nextDue(state, fact.data.dueAt),
        ...(state.at === "set" ? { at: "waiting", waitingAt: at } : {}),
      };
    case "reminder.held@1":
      return { heldBy: fact.data.by };
    case "reminder.started@1":
      return { at: "running", started: fact.data.turn };
    case "reminder.done@1":
      return { at: "done" };
    default:
      return {};
  }
}

function nextDue({ plan, rang }: ReminderState, dueAt: string): string | null {
  if (plan === null || rang + 1 >= plan.times) return null;
  return new Date(Date.parse(dueAt) + plan.everyMs).toISOString();
}

function queued({ at, heldBy, plan, waitingAt, id }: ReminderState): readonly Queued[] {
  if (at !== "waiting" && at !== "running") return [];
  const order = `${waitingAt} ${id}`;
  return [{ item: "work", lane: REMINDER_LANE, priority: plan?.priority ?? 0, order, at, heldBy }];
}
