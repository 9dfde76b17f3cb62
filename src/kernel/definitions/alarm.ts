import { defineList } from "./list.ts";

/** A request of a state to be called at a time. It exists as long as the state lists it. */
export interface Alarm {
  /** Unique within its stream. */
  readonly name: string;
  /** ISO 8601 in UTC, like event times, so that they compare as text. */
  readonly dueAt: string;
}

export interface AlarmRow extends Alarm {
  readonly stream: string;
}

/** The list of all alarms that are set. */
export const ALARMS = defineList<AlarmRow>()({
  name: "alarm",
  table: "alarms",
  keys: { due: { text: ({ dueAt }) => dueAt, indexed: true } },
});
