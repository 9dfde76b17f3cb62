import { writeSync } from "node:fs";
import { openLogReader } from "../../../src/store/index.ts";

/** Another process that looks on: says the position of every event it sees, and ends at the one it was told. */
const [path = "", until = "0"] = process.argv.slice(2);
const reader = openLogReader(path);
const stop = new AbortController();
for await (const events of reader.tail({ after: 0, signal: stop.signal })) {
  writeSync(1, events.map(({ seq }) => `${seq}\n`).join(""));
  if ((events.at(-1)?.seq ?? 0) >= Number(until)) stop.abort();
}
reader.close();
