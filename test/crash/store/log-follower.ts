import { writeSync } from "node:fs";
import { openLogReader } from "../../../src/store/index.ts";

/** A second process that tails the log: prints each event's position, and ends at a given one. */
const [path = "", until = "0"] = process.argv.slice(2);
const reader = openLogReader(path);
const stop = new AbortController();
for await (const events of reader.tail({ after: 0, signal: stop.signal })) {
  writeSync(1, events.map(({ seq }) => `${seq}\n`).join(""));
  if ((events.at(-1)?.seq ?? 0) >= Number(until)) stop.abort();
}
reader.close();
