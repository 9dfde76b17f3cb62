import { type DefinedFollower, defineFollower } from "../../src/commit/index.ts";

/** Collects the streams of finished reminders, in order, for the test to read. */
export function doneFollower(done: string[]): DefinedFollower {
  return defineFollower({
    name: "reminders-done",
    types: ["reminder.done"],
    take: async (events) => void done.push(...events.map(({ stream }) => stream)),
    clear: async () => void done.splice(0),
  });
}
