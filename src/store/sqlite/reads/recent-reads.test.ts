import { expect, test } from "vitest";
import { SESSIONS, sessionStream } from "../../../kernel/index.ts";
import { NO_USAGE } from "../../models/quota.ts";
import { createRecentReads } from "./recent-reads.ts";

/** A file whose usage counts the reads, and a writer that the test moves. */
function scene() {
  const writer: { writes: number | null } = { writes: 1 };
  let reads = 0;
  const { usage, row } = createRecentReads(
    {
      row: () => {
        reads += 1;
        return null;
      },
      usage: () => ({ ...NO_USAGE, familyBytes: 0, events: ++reads }),
    },
    { quietAt: () => writer.writes },
  );
  return { writer, row, read: async (id: string) => (await usage(sessionStream(id))).events, reads: () => reads };
}

test("an answer is kept until the next write", async () => {
  const { writer, read } = scene();
  expect([await read("a"), await read("a"), await read("b"), await read("a")]).toEqual([1, 1, 2, 1]);
  writer.writes = 2;
  expect([await read("a"), await read("a")]).toEqual([3, 3]);
});

test("while a write is under way every read goes to the file, and none is kept", async () => {
  const { writer, read } = scene();
  await read("a");
  writer.writes = null;
  expect([await read("a"), await read("a")]).toEqual([2, 3]);
  writer.writes = 2;
  expect([await read("a"), await read("a")]).toEqual([4, 4]);
});

test("a write that began and ended between two reads is noticed", async () => {
  const { writer, read } = scene();
  await read("a");
  writer.writes = 7;
  expect(await read("a")).toBe(2);
});

test("a row that is not there is kept too, and what is kept is limited", async () => {
  const { row, reads } = scene();
  expect([await row(SESSIONS, "a"), await row(SESSIONS, "a")]).toEqual([null, null]);
  expect(reads()).toBe(1);
  for (let n = 0; n < 1000; n += 1) await row(SESSIONS, `id-${n}`);
  await row(SESSIONS, "a");
  expect(reads()).toBe(1002);
});
