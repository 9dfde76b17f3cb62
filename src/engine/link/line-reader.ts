const NEWLINE = 0x0a;

/**
 * Bytes into lines. Only a line feed ends one: Node's `readline` also splits at U+2028 and U+2029, which JSON leaves as
 * they are.
 */
export function createLineReader(
  hear: (line: string) => void,
  { lineBytesMax = Number.POSITIVE_INFINITY }: { readonly lineBytesMax?: number } = {},
): { readonly take: (bytes: Uint8Array) => void } {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  return {
    take: (bytes) => {
      let from = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
        const line = Buffer.concat([...held, bytes.subarray(from, end)]).toString("utf8");
        held = [];
        heldBytes = 0;
        from = end + 1;
        hear(line);
      }
      const rest = bytes.subarray(from);
      if (rest.length > 0) held.push(Buffer.from(rest));
      heldBytes += rest.length;
      if (heldBytes > lineBytesMax) throw new Error(`a line has more than ${lineBytesMax} bytes`);
    },
  };
}
