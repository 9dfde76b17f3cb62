import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { createRedactor } from "../../redaction/index.ts";
import { createByteLook, PIECE_BYTES } from "./byte-look.ts";

const VALUE = `fake-${randomBytes(16).toString("hex")}`;
const redactor = createRedactor({ fingerprintKey: randomBytes(32) });
redactor.learn([{ value: VALUE }]);

function countIn(bytes: Uint8Array, chunkBytes: number) {
  const look = createByteLook(redactor);
  let count = 0;
  for (let at = 0; at < bytes.length; at += chunkBytes) count += look.push(bytes.subarray(at, at + chunkBytes)).length;
  const { findings, unread } = look.end();
  return { count: count + findings.length, unread };
}

proves("SCAN-1", "a value across the end of a piece is found once, wherever the end falls", () => {
  const bytes = Buffer.alloc(3 * PIECE_BYTES, "text, ");
  // Around every end of a piece, as text and as base64.
  const planted = [PIECE_BYTES - 20, PIECE_BYTES * 1.5 - 3, 2 * PIECE_BYTES - 40, bytes.length - 60];
  for (const [n, at] of planted.entries())
    bytes.write(` ${n % 2 === 0 ? VALUE : Buffer.from(VALUE).toString("base64")} `, at);
  for (const chunkBytes of [PIECE_BYTES, 65_536, 100_003])
    expect(countIn(bytes, chunkBytes)).toEqual({ count: planted.length, unread: null });
});

test("only the beginning of a file says how it is packed", () => {
  const packed = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.alloc(PIECE_BYTES * 2, "x")]);
  expect(countIn(packed, PIECE_BYTES).unread).toBe("gzip");
  const later = Buffer.concat([Buffer.alloc(PIECE_BYTES * 2, "x"), packed]);
  expect(countIn(later, PIECE_BYTES).unread).toBeNull();
  expect(countIn(Buffer.alloc(0), 1)).toEqual({ count: 0, unread: null });
});
