import { expect, test } from "vitest";
import type { LogEvent } from "../../src/client/index.ts";
import { isMarked, scanMarks } from "./mark-scan.ts";

const SCANNED = 5_000;
const VERSIONS = 23_000;

function eventAt(version: number): LogEvent {
  const type = version % 10_000 === 1 ? "session.rewound@1" : version % 100 === 0 ? "turn.ended@1" : "x.step@1";
  const rest = { id: "", at: "", actor: "", cause: null, data: {}, hash: "", prev: "" };
  return { ...rest, seq: version, stream: "session/one", version, type };
}

test("short pages are read on to the beginning of the log: every rewind is found", async () => {
  const found: LogEvent[] = [];
  const read = async ({ after, types = [] }: { readonly after?: number | string; readonly types?: unknown }) => {
    const before = after === undefined ? VERSIONS + 1 : Number(after);
    const from = Math.max(1, before - SCANNED);
    const events = Array.from({ length: before - from }, (_none, at) => eventAt(before - 1 - at)).filter(({ type }) =>
      String(types).includes(type.replace("@1", "")),
    );
    return { events, next: from === 1 ? null : from };
  };
  const isWhole = await scanMarks("one", read, (events) => {
    found.push(...events);
    return true;
  });
  expect(isWhole).toBe(true);
  expect(found.filter(({ type }) => type === "session.rewound@1").map(({ version }) => version)).toEqual([
    20_001, 10_001, 1,
  ]);
  expect(found.every(isMarked)).toBe(true);
});

test("a page that was left stops the scan, and it does not count as whole", async () => {
  let reads = 0;
  const read = async () => {
    reads += 1;
    return { events: [], next: 5 };
  };
  expect(await scanMarks("one", read, () => false)).toBe(false);
  expect(reads).toBe(1);
});
