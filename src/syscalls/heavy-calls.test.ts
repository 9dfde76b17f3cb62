import { expect } from "vitest";
import { proves } from "../../test/support/proves.ts";
import type { Actor } from "../domains/index.ts";
import { createHeavyCalls } from "./heavy-calls.ts";
import { SYSCALLS } from "./table.ts";

function checks() {
  const clock = { ms: 0 };
  const ends: (() => void)[] = [];
  const heavy = createHeavyCalls(() => clock.ms);
  let begun = 0;
  const work = async (): Promise<number> => {
    begun += 1;
    const mine = begun;
    await new Promise<void>((resolve) => ends.push(resolve));
    return mine;
  };
  const check = (urgent = false) => heavy.shared("check", urgent, work);
  const settle = async (): Promise<void> => {
    ends.shift()?.();
    await new Promise((soon) => setImmediate(soon));
  };
  return { heavy, clock, check, settle, begun: () => begun };
}

proves(
  "TK-12",
  "sixty calls ask for a log check at once: two checks run, and each caller sees the log as of its call",
  async () => {
    const { check, settle, begun } = checks();
    const all = Promise.all(Array.from({ length: 60 }, () => check()));
    expect(begun()).toBe(1);
    await settle();
    expect(begun()).toBe(2);
    await settle();
    expect(await all).toEqual([1, ...Array(59).fill(2)]);
  },
);

proves("TK-12", "a viewer asks for checks without end: the check rests nine times as long as it took", async () => {
  const { check, clock, settle, begun } = checks();
  const first = check();
  clock.ms = 1000;
  await settle();
  expect(await first).toBe(1);
  for (clock.ms = 1001; clock.ms < 9900; clock.ms += 100) expect(await check()).toBe(1);
  expect(begun()).toBe(1);
  const urgent = check(true);
  await settle();
  expect(await urgent).toBe(2);
});

proves("TK-12", "a failed check is reported to all who shared it, and the next call runs a new one", async () => {
  const heavy = createHeavyCalls(() => 0);
  await expect(heavy.shared("check", false, async () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await heavy.shared("check", false, async () => "sound")).toBe("sound");
});

proves("TK-12", "a principal has a limited number of long calls, and each that ends frees a place", () => {
  const heavy = createHeavyCalls(() => 0);
  const actor: Actor = { principal: "token:a", capabilities: [], sessionId: null };
  const held = [1, 2, 3, 4].map(() => heavy.take(actor));
  expect(() => heavy.take(actor)).toThrow(expect.objectContaining({ code: "overloaded" }));
  heavy.take({ ...actor, principal: "token:b" });
  held[0]?.();
  heavy.take(actor);
  const marked = SYSCALLS.filter(({ heavy: isHeavy }) => isHeavy).map(({ name }) => name);
  for (const name of ["system.doctor", "audit.verify", "session.search", "session.diff"])
    expect(marked).toContain(name);
});
