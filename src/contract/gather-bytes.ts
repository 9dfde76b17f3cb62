/** Collects bytes in one buffer: a million pieces of one byte take a megabyte, not a million objects. */
export interface GatheredBytes {
  readonly add: (piece: Uint8Array) => void;
  readonly size: () => number;
  /** Returns all bytes and empties the buffer. */
  readonly take: () => Uint8Array;
}

const FIRST_BYTES = 4096;

export function gatherBytes(): GatheredBytes {
  let held = new Uint8Array(0);
  let size = 0;
  return {
    add: (piece) => {
      if (size + piece.length > held.length) {
        const grown = new Uint8Array(Math.max(FIRST_BYTES, held.length * 2, size + piece.length));
        grown.set(held.subarray(0, size));
        held = grown;
      }
      held.set(piece, size);
      size += piece.length;
    },
    size: () => size,
    take: () => {
      const taken = held.subarray(0, size);
      held = new Uint8Array(0);
      size = 0;
      return taken;
    },
  };
}
