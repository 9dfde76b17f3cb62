import { type DefinedFollower, defineFollower } from "../../src/commit/index.ts";

/** Keeps the streams of reminders that are done, in order; what it has made is the test's to look at. */
export function doneFollower(done: string[]): DefinedFollower {
  return defineFollower({
    name: "reminders-done",
    types: ["reminder.done"],
    take: async (events) => void done.push(...events.map(({ stream }) => stream)),
    clear: async () => void done.splice(0),
  });
}
