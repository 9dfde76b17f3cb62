const LF = 0x0a;

/** A line without its line feed; or a note that a line was too long and was dropped. */
export type Line = { readonly bytes: Uint8Array } | { readonly tooLong: true };

/**
 * Splits input into lines at LF only: U+2028 and a lone CR are part of a line. Empty lines are skipped. A last line without
 * LF counts.
 */
export async function* readLines(input: AsyncIterable<Uint8Array>, lineBytesMax: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const take = (part: Uint8Array): void => {
    size += part.length;
    if (size <= lineBytesMax) parts.push(part);
    else parts = [];
  };
  const finish = function* (): Generator<Line> {
    const line: Line = size > lineBytesMax ? { tooLong: true } : { bytes: Buffer.concat(parts) };
    parts = [];
    size = 0;
    if ("tooLong" in line || !isBlank(line.bytes)) yield line;
  };
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      take(chunk.subarray(from, end));
      yield* finish();
      from = end + 1;
    }
    take(chunk.subarray(from));
  }
  yield* finish();
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
