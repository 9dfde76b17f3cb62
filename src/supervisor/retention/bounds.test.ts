import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { type AnyFact, fact } from "../../kernel/index.ts";
import { HOUSE } from "../../store/index.ts";
import { createBounds } from "./bounds.ts";

const LIMITS = { sessionBytes: 1000, homeBytes: 5000, liveSessionsMax: 2, diskFreeBytes: 100 };

const boundsWith = (level: "enough" | "low" | "scarce", alarm: "low" | "scarce" | null = null, used = 0) =>
  createBounds({
    store: {
      usage: async (stream) => ({ events: 1, bytes: stream === undefined ? used : 0, blobBytes: 0, familyBytes: used }),
      count: async () => 1,
    },
    limits: () => LIMITS,
    disk: () => ({ freeBytes: 1, totalBytes: 2, level }),
    alarm: () => (alarm === null ? null : { level: alarm, reason: "pinned" }),
  });

const judged = (bounds: ReturnType<typeof boundsWith>, facts: readonly AnyFact[]) =>
  bounds.judge(HOUSE.spaceNeedOf(facts), facts);

const admitted = fact("turn.admitted@1", { turnId: "t", prompt: "", blob: null, bytes: 0, queued: false });
const said = fact("message.completed@1", { turnId: "t", role: "assistant", text: "", blob: null, bytes: 0 });
const begun = fact("effect.begun@1", { turnId: "t", effectId: "e", fence: 1 });
const killed = fact("session.killed@1", { reason: "" });
const note = { type: "x.note@1" as const, data: { turnId: null, payload: 1 } };

proves("Q7", "disk low: new work is refused first, then running work, and never what ends work", () => {
  const low = { code: "disk_low" };
  for (const level of ["low", "scarce"] as const)
    for (const refused of [[admitted], [note], [killed, admitted]])
      expect(() => judged(boundsWith(level), refused)).toThrow(expect.objectContaining(low));
  for (const going of [said, begun]) {
    expect(judged(boundsWith("low"), [going])).not.toBeNull();
    expect(() => judged(boundsWith("scarce"), [going])).toThrow(expect.objectContaining(low));
  }
  for (const level of ["enough", "low", "scarce"] as const) expect(judged(boundsWith(level), [killed])).toBeNull();
  expect(() => judged(boundsWith("enough", "low"), [admitted])).toThrow(
    expect.objectContaining({ ...low, details: expect.objectContaining({ reason: "pinned" }) }),
  );
  expect(judged(boundsWith("enough", "low"), [begun])).not.toBeNull();
  expect(() => judged(boundsWith("enough", "scarce"), [begun])).toThrow(expect.objectContaining(low));
  expect(judged(boundsWith("enough", "scarce"), [killed])).toBeNull();
});

proves("Q7", "whatever ends, answers or removes something is never refused for lack of space", () => {
  const always = HOUSE.types.filter((type) => HOUSE.spaceNeedOf([{ type, data: { turnId: "t" } }]) === "end");
  for (const needed of [
    "turn.started@1",
    "turn.ended@1",
    "turn.interrupt_requested@1",
    "session.exited@1",
    "session.killed@1",
    "session.failed@1",
    "session.forgotten@1",
    "session.suspended@1",
    "session.hibernated@1",
    "approval.answered@1",
    "approval.closed@1",
    "effect.settled@1",
    "data.erased@1",
    "token.revoked@1",
    "lease.acquired@1",
    "lease.released@1",
  ] as const)
    expect(always).toContain(needed);
});

proves(
  "Q4",
  "a blob is refused before it is stored, by its stored size; output only when no space is left",
  async () => {
    const quota = expect.objectContaining({ code: "quota_exceeded" });
    const strict = await boundsWith("enough", null, 900).mayKeep("session/s", "course");
    strict(100);
    expect(() => strict(101)).toThrow(quota);
    const output = await boundsWith("enough", null, 900).mayKeep("session/s", "output");
    output(100_000);
    const full = await boundsWith("enough", null, 1000).mayKeep("session/s", "output");
    expect(() => full(1)).toThrow(quota);
  },
);

proves("Q5", "a place is reserved while a session opens, and given back if it does not open", async () => {
  const bounds = boundsWith("enough");
  const held = Promise.withResolvers<void>();
  const first = bounds.forOpening(() => held.promise);
  first.catch(() => undefined);
  await Promise.resolve();
  const opened: string[] = [];
  const second = bounds.forOpening(async () => opened.push("second"));
  await new Promise((soon) => setImmediate(soon));
  expect(opened).toEqual([]);
  held.reject(new Error("could not"));
  await expect(first).rejects.toThrow("could not");
  await second;
  expect(opened).toEqual(["second"]);
});
