import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

/**
 * The lines of a git patch from `index` on, for content that cannot be shown as text: both sides whole, packed, in
 * letters. Null stands for a missing file.
 */
export function binaryPatch(before: Buffer | null, after: Buffer | null): string {
  const sides = [after, before].map((side) => literal(side ?? Buffer.alloc(0)));
  return `index ${blobId(before)}..${blobId(after)}\nGIT binary patch\n${sides.join("")}`;
}

function blobId(content: Buffer | null): string {
  if (content === null) return "0".repeat(40);
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

const LINE_BYTES = 52;

function literal(content: Buffer): string {
  const packed = deflateSync(content);
  const lines: string[] = [];
  for (let at = 0; at < packed.length; at += LINE_BYTES) lines.push(line(packed.subarray(at, at + LINE_BYTES)));
  return `literal ${content.length}\n${lines.join("")}\n`;
}

/** The first letter is the number of bytes: A to Z for 1 to 26, a to z for 27 to 52. */
function line(bytes: Buffer): string {
  const count = bytes.length;
  const letter = String.fromCharCode(count <= 26 ? 64 + count : 70 + count);
  return `${letter}${base85(bytes)}\n`;
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/** Git's own alphabet: four bytes as five digits, the last ones filled up with zeros. */
function base85(bytes: Buffer): string {
  const whole = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  let text = "";
  for (let at = 0; at < whole.length; at += 4) {
    let value = whole.readUInt32BE(at);
    let digits = "";
    for (let n = 0; n < 5; n += 1) {
      digits = `${DIGITS[value % 85]}${digits}`;
      value = Math.floor(value / 85);
    }
    text += digits;
  }
  return text;
}
