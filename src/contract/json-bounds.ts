/**
 * Limits for JSON from outside: deep nesting overflows the stack, and very many values block the daemon for seconds.
 */
export const JSON_BOUNDS = { depthMax: 128, valuesMax: 100_000 } as const;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Which limit a JSON text exceeds; null when it may be parsed. Counts brackets and commas outside strings, skips
 * strings by a native search, and stops at the first excess: much cheaper than the parse it prevents.
 */
export function jsonExcess(text: string, bounds: { depthMax: number; valuesMax: number } = JSON_BOUNDS): string | null {
  if (text.length <= bounds.depthMax) return null;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) return null;
    } else if (unit === COMMA) {
      values += 1;
      if (values > bounds.valuesMax) return `it holds more than ${bounds.valuesMax} values`;
    } else if (unit === OPEN_LIST || unit === OPEN_OBJECT) {
      depth += 1;
      if (depth > bounds.depthMax) return `it is nested deeper than ${bounds.depthMax} levels`;
    } else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) depth -= 1;
  }
  return null;
}

/** The quote that ends the string beginning here; -1 when there is none, which the parser reports better. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}
