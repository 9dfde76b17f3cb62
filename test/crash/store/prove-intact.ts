/**
 * `prove-intact.ts HOME`, with the acknowledged events on stdin: checks that the log lost nothing, has no half append,
 * and can go on. Each check is its own process, because opening and closing many threads in one process may crash it.
 */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { text } from "node:stream/consumers";
import { openSqliteStore, type RecordedEvent } from "../../../src/store/index.ts";
import { appendTo, everyEvent, note, openSession } from "../../support/store-home.ts";

const [home = ""] = process.argv.slice(2);
const lines = (await text(process.stdin)).split("\n");
const store = await openSqliteStore({
  home,
  onFatal: (error) => {
    throw error;
  },
});
const all = await everyEvent(store);
deepStrictEqual(
  all.map(({ seq }) => seq),
  all.map((_, n) => n + 1),
);
const ids = new Set(all.map(({ seq, id }) => `${seq}:${id}`));
for (const acknowledged of lines.filter((line) => line.startsWith("ack ")))
  for (const place of acknowledged.split(" ").slice(1)) ok(ids.has(place), `lost: ${place}`);
proveWhole();
deepStrictEqual((await store.verify()).problems, []);
deepStrictEqual((await store.rebuild(null)).differences, []);
for (const found of all) await proveBlob(found);
await appendTo(store, await openSession(store), [note("it goes on")]);
await store.close();

/** An append over two streams wrote its turn's end and its two notes together, or nothing. */
function proveWhole(): void {
  const ends = all.flatMap(({ type, data, seq }) =>
    type === "turn.ended@1" ? [{ turnId: member(data, "turnId"), seq }] : [],
  );
  const notes = all.filter(({ type }) => type === "x.note@1");
  strictEqual(notes.length, 2 * ends.length);
  for (const { turnId, seq } of ends)
    strictEqual(member(all[seq]?.data, "payload"), `both ${String(turnId)}`, "the note behind a turn's end");
}

async function proveBlob(found: RecordedEvent): Promise<void> {
  const blob = member(found.data, "blob");
  if (typeof blob === "string") notStrictEqual(await store.blob(blob), null, `blob of ${found.seq}`);
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
