import { expect, test } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import type { Lease, TicketStatus } from "../../../domains/index.ts";
import type { RefDocument, RefDocuments, SharedPlace } from "../../../governance/index.ts";
import { changeStatus, parseStatus, statusNow } from "./ticket-status.ts";

const NOW = 1_800_000_000_000;
const lease = (untilMs: number, releasedMs: number | null = null) => ({ untilMs, releasedMs }) as Lease;
const written = (status: TicketStatus) => ({ status, since: "2026-01-01T00:00:00.000Z", by: "operator" });

proves(
  "GT-27",
  "who holds a live lease works on it; when it ends the ticket is to be done again, whatever was written",
  () => {
    const at = (status: TicketStatus | null, held: Lease | null, isArchived = false) =>
      statusNow(status === null ? null : written(status), held, { isArchived, nowMs: NOW });
    expect(at(null, null)).toBe("todo");
    expect(at(null, lease(NOW + 1))).toBe("active");
    expect(at("active", lease(NOW + 1))).toBe("active");
    expect(at("active", lease(NOW))).toBe("todo");
    expect(at("active", lease(NOW + 1, NOW - 1))).toBe("todo");
    expect(at("active", null)).toBe("todo");
    for (const status of ["paused", "review", "done"] as const) expect(at(status, lease(NOW + 1))).toBe(status);
    expect(at("done", null, true)).toBe("archived");
    // The file was put back.
    expect(at("archived", null)).toBe("todo");
  },
);

test("a status that is none of ours says nothing", () => {
  for (const text of ["", "{", "null", "[]", '{"status":"lost"}', '{"status":"done","since":1,"by":"x"}'])
    expect(parseStatus(text)).toBe(null);
  expect(parseStatus(JSON.stringify(written("review")))).toEqual(written("review"));
});

/** Documents in memory, where somebody else is faster a few times. */
function documentsWith(others: readonly string[]) {
  let now: RefDocument | null = null;
  const left = [...others];
  const documents: Pick<RefDocuments, "read" | "swap"> = {
    read: async () => now,
    swap: async (_place, _kind, id, { from, text }) => {
      const other = left.shift();
      if (other !== undefined) now = { id, oid: `o${left.length}`, text: other };
      if ((now?.oid ?? null) !== from) return { swapped: false, now };
      now = { id, oid: "mine", text };
      return { swapped: true, document: now };
    },
  };
  return { documents: documents as RefDocuments, text: () => now?.text };
}

proves("GT-27", "a status is decided anew on what somebody faster wrote; who never comes through is told", async () => {
  const place = {} as SharedPlace;
  const twice = documentsWith([JSON.stringify(written("review")), JSON.stringify(written("paused"))]);
  const seen: (string | null)[] = [];
  await changeStatus(twice.documents, place, "T", (now) => {
    seen.push(now?.status ?? null);
    return written("done");
  });
  expect(seen).toEqual([null, "review", "paused"]);
  expect(twice.text()).toBe(`${JSON.stringify(written("done"))}\n`);
  const kept = documentsWith([JSON.stringify(written("done"))]);
  expect(
    await changeStatus(kept.documents, place, "T", (now) => (now?.status === "done" ? null : written("active"))),
  ).toBe(null);
  expect(kept.text()).toBe(JSON.stringify(written("done")));
  const busy = documentsWith(Array.from({ length: 50 }, () => JSON.stringify(written("todo"))));
  await expect(changeStatus(busy.documents, place, "T", () => written("done"))).rejects.toMatchObject({
    code: "ref_conflict",
  });
});
