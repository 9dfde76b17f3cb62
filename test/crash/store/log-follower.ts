import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { openLogReader } from "../../../src/store/index.ts";

const POLL_MS = 20;
const PAGE = 500;

/** Another process that reads along: prints the position of every event, and ends at the one it was told. */
const [path = "", until = "0"] = process.argv.slice(2);
const reader = openLogReader(path);
for (let after = 0; after < Number(until); ) {
  const { events, next } = reader.readAll({ after, limit: PAGE });
  writeSync(1, events.map(({ seq }) => `${seq}\n`).join(""));
  after = next ?? events.at(-1)?.seq ?? after;
  if (next === null) await setTimeout(POLL_MS);
}
reader.close();
