import { lengthOf, type PlainEvents, type RawLengths } from "./raw-page.ts";

/**
 * Makes the lines of a bundle for plain events. They are put together byte by byte, because a string for each part
 * would take most of the time of an export. The lines are valid until the next call: their memory is used again.
 */
export function createLineEncoder(): (plain: PlainEvents) => Buffer {
  let out = Buffer.alloc(0);
  return ({ bytes, start, events }) => {
    const most = events.reduce((sum, one) => sum + FRAME_BYTES_MAX + GROWTH_MAX * lengthOf(one), 0);
    if (out.length < most) out = Buffer.allocUnsafeSlow(most);
    let at = 0;
    let from = start;
    for (const lengths of events) {
      at = putLine(out, at, bytes, from, lengths);
      from += lengthOf(lengths);
    }
    return out.subarray(0, at);
  };
}

/** Everything in a line but the parts of the event. */
const FRAME_BYTES_MAX = 128;
/** A control character becomes `\u0000`. */
const GROWTH_MAX = 6;

function putLine(out: Buffer, begin: number, bytes: Buffer, start: number, lengths: RawLengths): number {
  const [seq, prev, header, hash, salt, data] = lengths;
  const headerAt = start + prev;
  const hashAt = headerAt + header;
  const saltAt = hashAt + hash;
  const dataAt = saltAt + (salt ?? 0);
  let at = put(out, begin, SEQ);
  at += out.write(String(seq), at, "latin1");
  at = putHex(out, put(out, at, PREV), bytes, start, headerAt);
  at = putQuoted(out, put(out, at, HEADER), bytes, headerAt, hashAt);
  at = putHex(out, put(out, at, HASH), bytes, hashAt, saltAt);
  at = putHex(out, put(out, at, SALT), bytes, saltAt, dataAt);
  at = putBase64(out, put(out, at, DATA), bytes, dataAt, dataAt + (data ?? 0));
  return put(out, at, END);
}

const SEQ = Buffer.from('{"seq":');
const PREV = Buffer.from(',"prev":"');
const HEADER = Buffer.from('","header":');
const HASH = Buffer.from(',"hash":"');
const SALT = Buffer.from('","salt":"');
const DATA = Buffer.from('","data":"');
const END = Buffer.from('"}\n');

function put(out: Buffer, begin: number, text: Buffer): number {
  for (let n = 0; n < text.length; n += 1) out[begin + n] = text[n] ?? 0;
  return begin + text.length;
}

const HEX = Buffer.from("0123456789abcdef");

function putHex(out: Buffer, begin: number, bytes: Buffer, from: number, to: number): number {
  let at = begin;
  for (let n = from; n < to; n += 1) {
    const byte = bytes[n] ?? 0;
    out[at] = HEX[byte >> 4] ?? 0;
    out[at + 1] = HEX[byte & 15] ?? 0;
    at += 2;
  }
  return at;
}

const [SPACE, QUOTE, BACKSLASH, DELETE] = [0x20, 0x22, 0x5c, 0x7f] as const;

/** As `JSON.stringify` writes it; that itself is used for anything but printable ASCII. */
function putQuoted(out: Buffer, begin: number, bytes: Buffer, from: number, to: number): number {
  out[begin] = QUOTE;
  let at = begin + 1;
  for (let n = from; n < to; n += 1) {
    const byte = bytes[n] ?? 0;
    if (byte < SPACE || byte > DELETE)
      return begin + out.write(JSON.stringify(bytes.toString("utf8", from, to)), begin);
    if (byte === QUOTE || byte === BACKSLASH) {
      out[at] = BACKSLASH;
      at += 1;
    }
    out[at] = byte;
    at += 1;
  }
  out[at] = QUOTE;
  return at + 1;
}

const BASE64 = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
/** From here on a string costs less than the loop. */
const LONG_BYTES = 1024;

function putBase64(out: Buffer, begin: number, bytes: Buffer, from: number, to: number): number {
  if (to - from >= LONG_BYTES) return begin + out.write(bytes.toString("base64", from, to), begin, "latin1");
  let at = begin;
  let n = from;
  for (; n + 2 < to; n += 3) {
    const three = ((bytes[n] ?? 0) << 16) | ((bytes[n + 1] ?? 0) << 8) | (bytes[n + 2] ?? 0);
    out[at] = BASE64[three >> 18] ?? 0;
    out[at + 1] = BASE64[(three >> 12) & 63] ?? 0;
    out[at + 2] = BASE64[(three >> 6) & 63] ?? 0;
    out[at + 3] = BASE64[three & 63] ?? 0;
    at += 4;
  }
  return n === to ? at : at + out.write(bytes.toString("base64", n, to), at, "latin1");
}
