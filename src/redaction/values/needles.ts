import { APOSTROPHE, mayEscape, QUOTE } from "../escapes/read-escape.ts";
import { unescapeLevels } from "../escapes/unescape.ts";
import { ANCHOR_BYTES } from "../filter/filter.ts";
import { ESCAPE_LEVELS_MAX, VALUE_MIN_BYTES } from "../limits.ts";
import { isSpace, type Needle, sextetAt } from "./compare.ts";

export interface Anchored {
  readonly needle: Needle;
  /** One needle may begin in several spellings. */
  readonly anchors: readonly Uint8Array[];
}

/** Every form in which a value is looked for, each with the bytes that it may begin with. */
export function needlesOf(value: Uint8Array): readonly Anchored[] {
  const core = trimmed(value);
  const plain = spellings(core);
  return [
    ...plain.map((bytes) => ({
      needle: { bytes, form: "plain", skippedBits: 0 } as const,
      anchors: plainAnchors(bytes),
    })),
    ...[0, 4, 2].map((skippedBits) => base64Needle(core, skippedBits)),
    { needle: { bytes: core, form: "hex", skippedBits: 0 }, anchors: hexAnchors(core) },
  ];
}

/** The line end of the file that it was read from is no part of a secret. */
function trimmed(value: Uint8Array): Uint8Array {
  let from = 0;
  let to = value.length;
  while (from < to && isSpace(value[from] ?? 0)) from += 1;
  while (to > from && isSpace(value[to - 1] ?? 0)) to -= 1;
  return to - from >= VALUE_MIN_BYTES ? value.subarray(from, to) : value;
}

/**
 * As it is; without its own escapes, because text is compared without them; and for letters that are not ASCII the bytes
 * that other programs make of them.
 */
function spellings(value: Uint8Array): readonly Uint8Array[] {
  const others = [...unescaped(value), ...ofOtherCharsets(value)];
  if (others.length === 0) return [value];
  const found = [value, ...others];
  const seen = new Set<string>();
  return found.filter((bytes) => {
    const key = Buffer.from(bytes).toString("latin1");
    return bytes.length >= ANCHOR_BYTES && !seen.has(key) && seen.add(key) !== null;
  });
}

function unescaped(value: Uint8Array): readonly Uint8Array[] {
  if (!value.some(mayEscape)) return [];
  const levels = Array.from({ length: ESCAPE_LEVELS_MAX }, (_, index) =>
    unescapeLevels(value, 0, value.length, index + 1, true),
  );
  return levels.map((view) => view.bytes.slice(0, view.length));
}

function ofOtherCharsets(value: Uint8Array): readonly Uint8Array[] {
  if (value.every((byte) => byte < 0x80)) return [];
  const text = Buffer.from(value).toString("utf8");
  const isLatin1 = [...text].every((character) => (character.codePointAt(0) ?? 0) < 0x100);
  return [
    Buffer.from(Buffer.from(value).toString("latin1"), "utf8"),
    Buffer.from(text.normalize("NFC"), "utf8"),
    Buffer.from(text.normalize("NFD"), "utf8"),
    ...(isLatin1 ? [Buffer.from(text, "latin1")] : []),
  ];
}

/** A form writes `+` for a space, CSV a quote twice, a shell `'"'"'`: where that falls into the anchor it is another one. */
function plainAnchors(bytes: Uint8Array): readonly Uint8Array[] {
  const first = bytes.subarray(0, ANCHOR_BYTES);
  if (!first.some((byte) => isSpace(byte) || isQuote(byte))) return [first];
  const head = Buffer.from(first).toString("latin1");
  const written = [
    head,
    head.replaceAll(" ", "+"),
    head.replaceAll('"', '""'),
    head.replaceAll("'", "''"),
    head.replaceAll("'", `'"'"'`),
    head.replaceAll('"', `"'"'"`),
    head
      .replaceAll("\r\n", "\n")
      .concat(Buffer.from(bytes.subarray(ANCHOR_BYTES, ANCHOR_BYTES + 4)).toString("latin1")),
    head.replaceAll("\n", "\r\n"),
  ];
  return [...new Set(written.map((text) => text.slice(0, ANCHOR_BYTES)))].map((text) => Buffer.from(text, "latin1"));
}

function base64Needle(value: Uint8Array, skippedBits: number): Anchored {
  const digits = Array.from({ length: ANCHOR_BYTES }, (_, index) => sextetAt(value, skippedBits + 6 * index));
  const [standard, forUrls] = ["+/", "-_"].map((last) =>
    digits.map((digit) => `${ALPHANUMERIC}${last}`[digit]).join(""),
  );
  const anchors = [...new Set([standard ?? "", forUrls ?? ""])].map((text) => Buffer.from(text, "latin1"));
  return { needle: { bytes: value, form: "base64", skippedBits }, anchors };
}

function isQuote(byte: number): boolean {
  return byte === APOSTROPHE || byte === QUOTE;
}

const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** In one piece, or with a mark between the bytes, as dumps and key fingerprints are written. */
function hexAnchors(value: Uint8Array): readonly Uint8Array[] {
  const pairs = [...value.subarray(0, ANCHOR_BYTES)].map((byte) => byte.toString(16).padStart(2, "0"));
  return ["", ":", " ", "-"].map((mark) => Buffer.from(pairs.join(mark).slice(0, ANCHOR_BYTES), "latin1"));
}
