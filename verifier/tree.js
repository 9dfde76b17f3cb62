import { hash } from "node:crypto";

/**
 * The root over leaves as they come (RFC 6962), out of the complete subtrees to the left. Hashes are kept as binary text.
 *
 * @returns {{ append: (eventHash: Buffer) => void, root: () => Buffer }}
 */
export function createTree() {
  const leaf = Buffer.alloc(33);
  const node = Buffer.alloc(65);
  node[0] = 1;
  /** @type {string[]} */
  const peaks = [];
  let size = 0;

  /**
   * @param {string} left
   * @param {string} right
   */
  const join = (left, right) => {
    node.write(left, 1, "latin1");
    node.write(right, 33, "latin1");
    return hash("sha256", node, "binary");
  };
  return {
    append: (eventHash) => {
      eventHash.copy(leaf, 1);
      let top = hash("sha256", leaf, "binary");
      for (let index = size; index % 2 === 1; index = (index - 1) / 2) top = join(peaks.pop() ?? "", top);
      peaks.push(top);
      size += 1;
    },
    root: () =>
      peaks.length === 0
        ? Buffer.from(hash("sha256", "", "hex"), "hex")
        : Buffer.from(
            peaks.reduceRight((right, left) => join(left, right)),
            "latin1",
          ),
  };
}
