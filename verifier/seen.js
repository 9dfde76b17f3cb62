import { randomBytes } from "node:crypto";

/**
 * Keys of a fixed length, in words of 32 bits, each with the number under which it came: 0, 1, 2 ... Flat memory instead
 * of a million strings.
 *
 * @param {number} words
 * @returns {{ add: (key: Int32Array) => boolean, find: (key: Int32Array) => number }}
 */
export function createSeen(words) {
  // Unknown to whoever made the bundle, so that nobody can choose keys that all fall into one place.
  const seed = randomBytes(4).readInt32LE();
  let keys = new Int32Array(16_384 * words);
  let slots = new Int32Array(65_536).fill(-1);
  let count = 0;

  /**
   * The place of the key that stands in `source` from `from` on: where it is, or where it would be.
   *
   * @param {Int32Array} source
   * @param {number} from
   */
  const slotOf = (source, from) => {
    let mixed = seed;
    for (let at = 0; at < words; at += 1) {
      mixed = Math.imul(mixed ^ (source[from + at] ?? 0), 0x9e3779b1);
      mixed ^= mixed >>> 15;
    }
    const mask = slots.length - 1;
    for (let slot = mixed & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot] ?? -1;
      if (number < 0 || isSame(source, from, number * words)) return slot;
    }
  };
  /**
   * @param {Int32Array} source
   * @param {number} from
   * @param {number} key
   */
  const isSame = (source, from, key) => {
    for (let at = 0; at < words; at += 1) if (source[from + at] !== keys[key + at]) return false;
    return true;
  };
  const grow = () => {
    const larger = new Int32Array(keys.length * 2);
    larger.set(keys);
    keys = larger;
    slots = new Int32Array(slots.length * 2).fill(-1);
    for (let number = 0; number < count; number += 1) slots[slotOf(keys, number * words)] = number;
  };
  return {
    add: (key) => {
      const slot = slotOf(key, 0);
      if ((slots[slot] ?? -1) >= 0) return false;
      keys.set(key, count * words);
      slots[slot] = count;
      count += 1;
      if (count * words === keys.length) grow();
      return true;
    },
    find: (key) => slots[slotOf(key, 0)] ?? -1,
  };
}
