import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { createLineEncoder } from "./encode-lines.ts";
import { partsOf, type RawLengths, type RawPage } from "./raw-page.ts";

interface Stored {
  readonly prev: Buffer;
  readonly header: Buffer;
  readonly hash: Buffer;
  readonly salt: Buffer | null;
  readonly data: Buffer | null;
}

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(Buffer.from);
/** Text of all kinds, and bytes that are no text. */
const header = fc.oneof(fc.json(), fc.string({ unit: "binary" })).map(Buffer.from);
const anything = fc.oneof(header, fc.uint8Array({ maxLength: 300 }).map(Buffer.from));
const data = fc.oneof(anything, bytes(1023), bytes(1024), bytes(1025));
const stored: fc.Arbitrary<Stored> = fc.record({
  prev: bytes(32),
  header: anything,
  hash: bytes(32),
  salt: fc.option(bytes(16), { freq: 5 }),
  data: fc.option(data, { freq: 5 }),
});

function pageOf(events: readonly Stored[]): RawPage {
  const parts = events.map(({ prev, header, hash, salt, data }) => [prev, header, hash, salt, data]);
  const lengths = parts.map((row, n) => [n + 1, ...row.map((part) => part?.length ?? null)]);
  return {
    bytes: Buffer.concat(parts.flat().filter((part) => part !== null)),
    events: lengths as unknown as RawLengths[],
  };
}

function lineOf({ prev, header, hash, salt, data }: Stored, n: number): string {
  const line = {
    ...{ seq: n + 1, prev: prev.toString("hex"), header: header.toString("utf8"), hash: hash.toString("hex") },
    ...{ salt: salt?.toString("hex"), data: data?.toString("base64") },
  };
  return `${JSON.stringify(line)}\n`;
}

proves("AUD-6", "lines that are put together byte by byte are those that JSON.stringify writes", () => {
  fc.assert(
    fc.property(fc.array(stored, { maxLength: 20 }), (events) => {
      const encodeLines = createLineEncoder();
      let [written, seen] = ["", 0];
      for (const part of partsOf(pageOf(events))) {
        if (part.kind === "plain") written += encodeLines(part).toString("utf8");
        else {
          const { seq, prev, header, hash, salt, data } = part.event;
          expect(seq).toBe(seen + 1);
          expect({ prev, header, hash, salt, data }).toEqual(events[seen]);
        }
        seen += part.kind === "plain" ? part.events.length : 1;
      }
      const plain = events.flatMap((one, n) => (one.salt === null || one.data === null ? [] : [lineOf(one, n)]));
      expect(seen).toBe(events.length);
      expect(written).toBe(plain.join(""));
    }),
  );
});

proves("AUD-6", "an event that names a blob or erases data is looked at by itself", () => {
  const one = (header: string, data: string): Stored => ({
    ...{ prev: Buffer.alloc(32), hash: Buffer.alloc(32), salt: Buffer.alloc(16) },
    ...{ header: Buffer.from(header), data: Buffer.from(data) },
  });
  const plain = one('{"type":"turn.started@1"}', "{}");
  const blob = one('{"type":"artifact.stored@1"}', `{"blob":"${"ab".repeat(32)}"}`);
  const erasure = one('{"type":"data.erased@1"}', '{"events":["x"]}');
  const parts = [...partsOf(pageOf([plain, plain, blob, plain, erasure]))];
  expect(parts.map((part) => (part.kind === "plain" ? part.events.length : part.event.seq))).toEqual([2, 3, 1, 5]);
  expect(parts.map(({ kind }) => kind)).toEqual(["plain", "special", "plain", "special"]);
  expect(parts.flatMap((part) => (part.kind === "special" ? part.event.blobs : []))).toEqual(["ab".repeat(32)]);
});
