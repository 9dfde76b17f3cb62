import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { event, newId, note, opened } from "../../../test/support/store-home.ts";
import { type AnyFact, fact, sessionStream } from "../../kernel/index.ts";
import { HOUSE } from "../definitions.ts";
import type { RecordedEvent } from "../port.ts";
import { parseHeader } from "./encoding.ts";
import { eraseRequest } from "./erase-data.ts";
import { createSalts, prepare, recorded } from "./prepare-append.ts";

const STREAM = sessionStream(newId());
const BLOB = "ab".repeat(32);
const SECRET = "a secret label";

/** A log of one stream in memory, and the erasure of some of its events. */
function logOf(...facts: readonly AnyFact[]) {
  const part = { stream: STREAM, expectedVersion: 0, events: facts.map((given) => event(given)) };
  const made = prepare(HOUSE, part, HOUSE.empty(STREAM), null, createSalts());
  const places = facts.map((_, at) => ({ seq: at + 100, prev: "", hash: "" }));
  const events = recorded([made], places);
  const other: RecordedEvent = {
    ...(events[0] ?? expect.fail("no event")),
    id: newId(),
    stream: sessionStream(newId()),
  };
  const reads = {
    version: async () => events.length,
    versions: async (_stream: string, after: number, upTo: number, limit: number) =>
      events.filter(({ version }) => version > after && version <= upTo).slice(0, Math.min(limit, 2)),
    event: async (id: string) => [...events, other].find((one) => one.id === id) ?? null,
  };
  const erase = (ids: readonly string[]) =>
    eraseRequest(
      HOUSE,
      reads,
      STREAM,
      ids,
      event(fact("data.erased@1", { events: [...ids], reason: "asked for" })),
      createSalts(),
    );
  return { made, events, other, erase, idOf: (at: number) => events[at]?.id ?? expect.fail(`no event ${at}`) };
}

proves("LOG-10", "an erasure names the events, their blobs and every row that the stream wrote", async () => {
  const log = logOf(opened(), fact("session.labelled@1", { label: SECRET }), note({ blob: BLOB }), note(2));
  const { write, erase, seqs, after } = await log.erase([log.idOf(1), log.idOf(2)]);
  expect(erase).toEqual({
    stream: STREAM,
    events: [
      { id: log.idOf(1), blobs: [] },
      { id: log.idOf(2), blobs: [BLOB] },
    ],
    rows: log.made.write.rows.map(({ list, id }) => ({ list, id })),
  });
  expect(erase.rows.length).toBeGreaterThan(0);
  expect(seqs).toEqual([101, 102]);
  expect([write.expectedVersion, write.events.length, after.state.version]).toEqual([4, 1, 5]);
  expect(parseHeader(write.events[0]?.header ?? "")).toMatchObject({
    type: "data.erased@1",
    version: 5,
    stream: STREAM,
  });
});

proves(
  "LOG-10",
  "what is written again derives nothing from erased data, and everything else from the rest",
  async () => {
    const log = logOf(opened("kept-name-01"), fact("session.labelled@1", { label: SECRET }), note(1));
    expect(JSON.stringify(log.made.after)).toContain(SECRET);
    const { write, after } = await log.erase([log.idOf(1)]);
    expect(JSON.stringify(write)).not.toContain(SECRET);
    expect(JSON.parse(write.snapshot ?? "")).toEqual(JSON.parse(JSON.stringify(after)));
    expect(write.rows.map(({ row }) => row).join()).toContain("kept-name-01");
  },
);

proves("LOG-10", "an event of another stream, or one that nobody knows, is not erased", async () => {
  const log = logOf(opened(), note(1));
  for (const id of [newId(), log.other.id])
    await expect(log.erase([log.idOf(1), id])).rejects.toMatchObject({ code: "event_not_found", details: { id } });
});
