import { defineList } from "./list.ts";

/** "Wake me at that time", said by a state. It is there as long as the state says so, and gone when it does not. */
export interface Alarm {
  /** One of each name in a stream. */
  readonly name: string;
  /** As events have their times: ISO 8601 in UTC, so that they compare as text. */
  readonly dueAt: string;
}

export interface AlarmRow extends Alarm {
  readonly stream: string;
}

/** Every alarm that is set, whatever set it. */
export const ALARMS = defineList<AlarmRow>()({
  name: "alarm",
  table: "alarms",
  keys: { due: { text: ({ dueAt }) => dueAt, indexed: true } },
});
