/** What a file is by its first bytes; null for text. */
export function binaryKind(head: Uint8Array): BinaryKind | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const known = MAGIC.find(({ at = 0, hex }) => bytes.subarray(at, at + hex.length / 2).toString("hex") === hex);
  if (known?.mediaType === "image/webp" && bytes.subarray(8, 12).toString("latin1") !== "WEBP") return UNKNOWN;
  if (known !== undefined) return known;
  return bytes.subarray(0, HEAD_BYTES).includes(0) ? UNKNOWN : null;
}

export interface BinaryKind {
  readonly what: string;
  /** Of an image that models can be shown. */
  readonly mediaType?: string;
  /** What to do instead of reading it. */
  readonly instead: string;
}

/** As git does: a NUL near the beginning makes a file binary. */
export const HEAD_BYTES = 8192;

const UNKNOWN: BinaryKind = {
  what: "a binary file",
  instead: "Look at it with a program in the terminal, such as `file`, `xxd` or `strings`.",
};
const UTF16: BinaryKind = {
  what: "text in UTF-16",
  instead: "Convert it in the terminal: `iconv -f UTF-16 -t UTF-8`.",
};
const ARCHIVE = "List its contents in the terminal (`tar -tf`, `unzip -l`).";
const UNPACK = "Unpack it in the terminal.";

const MAGIC: readonly (BinaryKind & { readonly hex: string; readonly at?: number })[] = [
  { hex: "89504e470d0a1a0a", what: "a PNG image", mediaType: "image/png", instead: UNKNOWN.instead },
  { hex: "ffd8ff", what: "a JPEG image", mediaType: "image/jpeg", instead: UNKNOWN.instead },
  { hex: "474946383761", what: "a GIF image", mediaType: "image/gif", instead: UNKNOWN.instead },
  { hex: "474946383961", what: "a GIF image", mediaType: "image/gif", instead: UNKNOWN.instead },
  { hex: "52494646", what: "a WebP image", mediaType: "image/webp", instead: UNKNOWN.instead },
  { hex: "255044462d", what: "a PDF document", instead: "Extract its text in the terminal: `pdftotext FILE -`." },
  { hex: "504b0304", what: "a ZIP archive (or an office document)", instead: ARCHIVE },
  { hex: "1f8b", what: "gzip data", instead: "Unpack it in the terminal: `gzip -dc`." },
  { hex: "fd377a585a00", what: "xz data", instead: UNPACK },
  { hex: "28b52ffd", what: "zstd data", instead: UNPACK },
  { hex: "425a68", what: "bzip2 data", instead: UNPACK },
  { hex: "7573746172", at: 257, what: "a tar archive", instead: ARCHIVE },
  { hex: "7f454c46", what: "an ELF program", instead: UNKNOWN.instead },
  {
    hex: "53514c69746520666f726d6174203300",
    what: "an SQLite database",
    instead: "Query it in the terminal: `sqlite3 FILE .schema`.",
  },
  { hex: "0061736d", what: "WebAssembly", instead: UNKNOWN.instead },
  { hex: "cafebabe", what: "a Java class or a Mach-O program", instead: UNKNOWN.instead },
  { hex: "cffaedfe", what: "a Mach-O program", instead: UNKNOWN.instead },
  { ...UTF16, hex: "fffe" },
  { ...UTF16, hex: "feff" },
];
