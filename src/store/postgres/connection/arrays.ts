const BYTEA = 17;
const BIGINT = 20;
const TEXT = 25;
const UUID = 2950;
const HEADER_BYTES = 20;

/**
 * Encodes an array in PostgreSQL's binary format; the driver would write text, two digits per byte. One dimension with
 * lower bound 1; each element follows its length, -1 for null.
 */
export function byteaArray(elements: readonly (Uint8Array | null)[]): Buffer {
  return bytesArray(elements, BYTEA);
}

export function uuidArray(ids: readonly string[]): Buffer {
  return bytesArray(
    ids.map((id) => Buffer.from(id.replaceAll("-", ""), "hex")),
    UUID,
  );
}

/** As `bytea`, because names are stored that way. */
export function namesArray(names: readonly string[]): Buffer {
  return byteaArray(names.map((name) => Buffer.from(name)));
}

export function textArray(texts: readonly string[]): Buffer {
  return bytesArray(
    texts.map((text) => Buffer.from(text)),
    TEXT,
  );
}

function bytesArray(elements: readonly (Uint8Array | null)[], type: number): Buffer {
  const size = elements.reduce((sum, element) => sum + 4 + (element?.length ?? 0), HEADER_BYTES);
  const { array, start } = begin(size, type, elements.length);
  let at = start;
  for (const element of elements) {
    at = array.writeInt32BE(element?.length ?? -1, at);
    if (element === null) continue;
    array.set(element, at);
    at += element.length;
  }
  return array;
}

export function bigintArray(elements: readonly number[]): Buffer {
  const { array, start } = begin(HEADER_BYTES + elements.length * 12, BIGINT, elements.length);
  let at = start;
  for (const element of elements) {
    at = array.writeInt32BE(8, at);
    at = array.writeBigInt64BE(BigInt(element), at);
  }
  return array;
}

function begin(size: number, elementType: number, length: number): { readonly array: Buffer; readonly start: number } {
  const array = Buffer.alloc(size);
  const mayHoldNulls = 1;
  const dimensions = 1;
  const lowerBound = 1;
  let at = 0;
  for (const word of [dimensions, mayHoldNulls, elementType, length, lowerBound]) at = array.writeInt32BE(word, at);
  return { array, start: at };
}
