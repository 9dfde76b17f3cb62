/** What bytes are packed as, so that no secret in them can be seen; null for plain text and unknown bytes. */
export type Unread =
  | "utf-16"
  | "utf-32"
  | "gzip"
  | "zstd"
  | "zip"
  | "bzip2"
  | "xz"
  | "7z"
  | "lz4"
  | "zlib"
  | "age"
  | null;

/** By the first bytes; UTF-16 without a mark by its zeros. */
export function unreadAs(bytes: Uint8Array): Unread {
  const named = MAGIC.find(({ magic }) => magic.every((byte, index) => bytes[index] === byte));
  if (named !== undefined) return named.as;
  if (isZlib(bytes)) return "zlib";
  return hasZerosOfUtf16(bytes) ? "utf-16" : null;
}

const MAGIC: readonly { readonly as: Exclude<Unread, null>; readonly magic: readonly number[] }[] = [
  { as: "utf-32", magic: [0xff, 0xfe, 0, 0] },
  { as: "utf-32", magic: [0, 0, 0xfe, 0xff] },
  { as: "utf-16", magic: [0xff, 0xfe] },
  { as: "utf-16", magic: [0xfe, 0xff] },
  { as: "gzip", magic: [0x1f, 0x8b] },
  { as: "zstd", magic: [0x28, 0xb5, 0x2f, 0xfd] },
  { as: "zip", magic: [0x50, 0x4b, 0x03, 0x04] },
  { as: "bzip2", magic: [0x42, 0x5a, 0x68] },
  { as: "xz", magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0] },
  { as: "7z", magic: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c] },
  { as: "lz4", magic: [0x04, 0x22, 0x4d, 0x18] },
  { as: "age", magic: [...Buffer.from("age-encryption.org/")] },
];

/** Deflate with the largest window, and the check digits of its two bytes. */
function isZlib(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  return (
    bytes.length > 2 &&
    first === 0x78 &&
    ((first << 8) | second) % 31 === 0 &&
    [0x01, 0x5e, 0x9c, 0xda].includes(second)
  );
}

const SAMPLE_BYTES = 4096;
const SAMPLE_MIN_BYTES = 8;

/** Latin text in UTF-16 has a zero in every second place, and none in the others. */
function hasZerosOfUtf16(bytes: Uint8Array): boolean {
  const length = Math.min(bytes.length, SAMPLE_BYTES) & ~1;
  if (length < SAMPLE_MIN_BYTES) return false;
  let even = 0;
  let odd = 0;
  for (let i = 0; i < length; i += 2) {
    if (bytes[i] === 0) even += 1;
    if (bytes[i + 1] === 0) odd += 1;
  }
  const half = length / 2;
  return (even > half * 0.6 && odd < half * 0.1) || (odd > half * 0.6 && even < half * 0.1);
}
