/** Files above this are not edited: the whole text goes into the log with every change. */
export const TEXT_BYTES_MAX = 10_485_760;

/** Null when the bytes are no UTF-8: writing them back would change what nobody asked to change. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null; // What `fatal` is for.
  }
}

/** The line end that most lines of a text have. */
export function lineEndOf(text: string): "\n" | "\r\n" {
  const all = text.split("\n").length - 1;
  const crlf = text.split("\r\n").length - 1;
  return crlf > all / 2 ? "\r\n" : "\n";
}

export function plainLineEnds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
