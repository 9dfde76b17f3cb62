/** The last bytes that a program printed. Offsets count the bytes of all that it printed. */
export interface OutputTail {
  readonly add: (text: string) => void;
  /** From a byte on, whole characters. `at`: where the text really begins, because what is older is not kept. */
  readonly page: (from: number) => { readonly text: string; readonly at: number; readonly next: number };
  readonly text: () => string;
  readonly total: () => number;
}

const TAIL_BYTES = 1_048_576;
const PAGE_BYTES = 32_768;

export function createOutputTail(tailBytes = TAIL_BYTES, pageBytes = PAGE_BYTES): OutputTail {
  const chunks: Buffer[] = [];
  /** Joined before it becomes a chunk: a program may print byte by byte. */
  let open = "";
  let [kept, total] = [0, 0];
  const close = (): void => {
    const chunk = Buffer.from(open);
    open = "";
    if (chunk.length === 0) return;
    chunks.push(chunk);
    kept += chunk.length;
    total += chunk.length;
    // Whole chunks go, so that no character is cut and nothing is copied.
    for (let first = chunks[0]; first !== undefined && kept - first.length >= tailBytes; first = chunks[0]) {
      chunks.shift();
      kept -= first.length;
    }
  };
  const all = (): Buffer => {
    close();
    return Buffer.concat(chunks);
  };
  return {
    add(text) {
      open += text;
      if (open.length >= CHUNK_CHARS) close();
    },
    page(from) {
      const bytes = all();
      const oldest = total - kept;
      const start = wholeFrom(bytes, Math.min(Math.max(0, from - oldest), bytes.length));
      const end = wholeUntil(bytes, Math.min(start + pageBytes, bytes.length));
      return { text: bytes.toString("utf8", start, end), at: oldest + start, next: oldest + end };
    },
    text: () => all().toString("utf8"),
    total: () => {
      close();
      return total;
    },
  };
}

const CHUNK_CHARS = 16_384;

/** The first character that begins here or later. */
function wholeFrom(bytes: Buffer, at: number): number {
  let start = at;
  while (start < bytes.length && isInside(bytes[start])) start += 1;
  return start;
}

/** The end of the last character that is complete here. */
function wholeUntil(bytes: Buffer, at: number): number {
  let end = at;
  while (end > 0 && isInside(bytes[end])) end -= 1;
  return end;
}

/** A byte that continues a character of UTF-8. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
