import { createEventCheck } from "./check-events.js";
import { BundleFault } from "./fault.js";
import { parseCheckpoint, parseKey, signatureFault } from "./note.js";
import { readBundle } from "./open-bundle.js";

/**
 * @typedef {object} Options
 * @property {import("./note.js").Key | null} key Who must have signed; null: whoever the bundle names.
 * @property {import("./note.js").Checkpoint[]} older Earlier checkpoints that the bundle must be a continuation of.
 *
 * @typedef {object} Verdict
 * @property {true} ok
 * @property {string} origin
 * @property {number} size
 * @property {string} root
 * @property {string} key
 * @property {number} streams
 * @property {number} erased
 * @property {number} blobs
 */

/**
 * Verifies a bundle from its first byte to its last. Throws a `BundleFault` that names the first thing that is wrong.
 *
 * @param {string} path
 * @param {Options} options
 * @returns {Verdict}
 */
export function verifyBundle(path, { key: expected, older }) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  /** @type {Map<string, string>} */
  const blobs = new Map();
  const events = createEventCheck(older.map(({ size }) => size));
  let size = Number.POSITIVE_INFINITY;

  readBundle(path, {
    text: (name, text) => {
      texts.set(name, text);
      if (name === "checkpoint") size = parseCheckpoint(text)?.size ?? size;
    },
    line: (line) => {
      events.take(line);
      if (events.count() > size) throw beyond(events.count(), size);
    },
    blob: (sha256, found) => blobs.set(sha256, found),
  });

  const checkpoint = parseCheckpoint(needed(texts, "checkpoint"));
  const key = parseKey(needed(texts, "key.pub"));
  if (checkpoint === null) throw new BundleFault("it is no checkpoint", { file: "checkpoint" });
  if (key === null) throw new BundleFault("it is no verifier key", { file: "key.pub" });
  if (expected !== null && expected.text !== key.text)
    throw new BundleFault(`the bundle brings the key ${key.text}, expected is ${expected.text}`, { file: "key.pub" });
  const unsigned = signatureFault(checkpoint, key);
  if (unsigned !== null) throw new BundleFault(unsigned, { file: "checkpoint" });

  const count = events.count();
  if (count > checkpoint.size) throw beyond(count, checkpoint.size);
  if (count < checkpoint.size)
    throw new BundleFault(`there are ${count} events, the checkpoint is over ${checkpoint.size}`, {
      file: "events.jsonl",
    });
  checkRoot("the checkpoint", checkpoint.root, events.root());
  for (const earlier of older) checkOlder(earlier, key, count, events.rootAt(earlier.size));
  const found = events.finish();
  for (const [blob, place] of found.blobs) checkBlob(blob, place, blobs.get(blob));
  return {
    ok: true,
    origin: checkpoint.origin,
    size: checkpoint.size,
    root: checkpoint.root.toString("hex"),
    key: key.text,
    streams: found.streams,
    erased: found.erased,
    blobs: found.blobs.size,
  };
}

/**
 * @param {import("./note.js").Checkpoint} earlier
 * @param {import("./note.js").Key} key
 * @param {number} count
 * @param {Buffer | null} root
 */
function checkOlder(earlier, key, count, root) {
  const unsigned = signatureFault(earlier, key);
  if (unsigned !== null) throw new BundleFault(`of the older checkpoint: ${unsigned}`, { file: "checkpoint" });
  if (earlier.size > count)
    throw new BundleFault(`there are ${count} events, the older checkpoint is over ${earlier.size}: events are lost`, {
      file: "events.jsonl",
    });
  checkRoot(`the older checkpoint over ${earlier.size} events`, earlier.root, root ?? Buffer.alloc(0));
}

/**
 * @param {string} whose
 * @param {Buffer} expected
 * @param {Buffer} found
 */
function checkRoot(whose, expected, found) {
  if (!expected.equals(found))
    throw new BundleFault(
      `the events come to the root ${found.toString("hex")}, ${whose} says ${expected.toString("hex")}`,
      {
        file: "events.jsonl",
      },
    );
}

/**
 * @param {string} blob
 * @param {import("./fault.js").Place} place
 * @param {string | undefined} found
 */
function checkBlob(blob, place, found) {
  if (found === undefined) throw new BundleFault(`the blob ${blob} that the event names is not there`, place);
  if (found !== blob) throw new BundleFault(`the blob ${blob} that the event names has other bytes`, place);
}

/**
 * @param {number} line
 * @param {number} size
 */
function beyond(line, size) {
  return new BundleFault(`the line is beyond the checkpoint, which is over ${size} events`, { line });
}

/**
 * @param {Map<string, string>} texts
 * @param {string} name
 */
function needed(texts, name) {
  const text = texts.get(name);
  if (text === undefined) throw new BundleFault("the file is missing", { file: name });
  return text;
}
