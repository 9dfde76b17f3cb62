import type { LogEvent } from "../../../src/client/index.ts";
import { parsed, type Step, type Verdict } from "./verify-event.ts";

/** The page shows an answer of its own: a daemon could prove one event and show another. */
export function shownStep(shown: LogEvent, { header, dataText }: Verdict, seq: number): Step {
  const name = "This page shows what was proved";
  if (header === null) return { name, is: "bad", says: "There is no header to compare with." };
  const members = ["actor", "at", "cause", "id", "stream", "type", "version"] as const;
  const other = [
    ...members.filter((member) => shown[member] !== header[member]),
    ...(shown.seq === seq ? [] : ["number"]),
    ...(isSame(shown.data, dataText) ? [] : ["data"]),
  ];
  return other.length === 0
    ? { name, is: "good", says: "Type, time, actor, place and data above are those of the proved bytes." }
    : { name, is: "bad", says: `The daemon shows something else than it proved: ${other.join(", ")}.` };
}

function isSame(data: unknown, dataText: string | null): boolean {
  return dataText === null ? data === null : JSON.stringify(data) === JSON.stringify(parsed(dataText));
}
