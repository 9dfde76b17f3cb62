import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { BundleFault } from "./fault.js";

/**
 * @typedef {object} Reader What is done with the parts of a bundle, in whatever order they come.
 * @property {(line: Buffer) => void} line
 * @property {(name: "checkpoint" | "key.pub", text: string) => void} text
 * @property {(sha256: string, found: string) => void} blob A blob's name, and the sha256 that its bytes have.
 */

const CHUNK_BYTES = 4 * 1024 * 1024;
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const TEXT_BYTES_MAX = 1024 * 1024;
const BLOCK_BYTES = 512;
const BLOB_NAME = /^[0-9a-f]{64}$/;

/**
 * Reads a bundle, a folder or a tar file, from front to back, without ever holding more of it than a chunk or a line.
 *
 * @param {string} path
 * @param {Reader} reader
 */
export function readBundle(path, reader) {
  if (statSync(path).isDirectory()) readFolder(path, reader);
  else readTar(path, reader);
}

/**
 * @param {string} folder
 * @param {Reader} reader
 */
function readFolder(folder, reader) {
  for (const name of ["checkpoint", "key.pub", "events.jsonl"]) {
    const path = join(folder, name);
    if (!existsSync(path)) continue;
    const file = openSync(path, "r");
    takePart(name, chunksOf(file, Number.POSITIVE_INFINITY), reader);
    closeSync(file);
  }
  const blobs = join(folder, "blobs");
  for (const name of existsSync(blobs) ? readdirSync(blobs) : []) {
    if (!BLOB_NAME.test(name) || !statSync(join(blobs, name)).isFile()) continue;
    const file = openSync(join(blobs, name), "r");
    takePart(`blobs/${name}`, chunksOf(file, Number.POSITIVE_INFINITY), reader);
    closeSync(file);
  }
}

/**
 * @param {string} path
 * @param {Reader} reader
 */
function readTar(path, reader) {
  const file = openSync(path, "r");
  const seen = new Set();
  for (;;) {
    const block = readExactly(file, BLOCK_BYTES);
    if (block === null || block.every((byte) => byte === 0)) break;
    const { name, size, isFile } = tarHeader(block);
    if (isFile && seen.has(name)) throw new BundleFault("the file stands in the archive twice", { file: name });
    seen.add(name);
    const chunks = chunksOf(file, size);
    if (isFile) takePart(name, chunks, reader);
    // What nobody wanted is read over; so is the padding.
    while (!chunks.next().done);
    readExactly(file, (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);
  }
  closeSync(file);
}

/** @param {Buffer} block */
function tarHeader(block) {
  const field = (/** @type {number} */ at, /** @type {number} */ width) =>
    block
      .toString("utf8", at, at + width)
      .replace(/\0.*$/s, "")
      .trim();
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (Number.parseInt(field(148, 8), 8) !== sum) throw new BundleFault("this is no bundle, neither folder nor tar", {});
  const isBinary = ((block[124] ?? 0) & 0x80) !== 0;
  const size = isBinary ? Number(block.readBigUInt64BE(128)) : Number.parseInt(field(124, 12) || "0", 8);
  // An archive of a folder has the folder's name before each of its files.
  const name = field(0, 100).replace(/^(?:\.\/)?(?:(?!blobs\/)[^/]+\/)?/, "");
  return { name, size, isFile: ["0", ""].includes(field(156, 1)) };
}

/**
 * @param {string} name
 * @param {Generator<Buffer>} chunks
 * @param {Reader} reader
 */
function takePart(name, chunks, reader) {
  if (name === "events.jsonl") for (const line of linesOf(chunks)) reader.line(line);
  else if (name === "checkpoint" || name === "key.pub") reader.text(name, textOf(name, chunks));
  else if (name.startsWith("blobs/") && BLOB_NAME.test(name.slice("blobs/".length))) {
    const sum = createHash("sha256");
    for (const chunk of chunks) sum.update(chunk);
    reader.blob(name.slice("blobs/".length), sum.digest("hex"));
  }
}

/**
 * Lines without their ends. The last one has an end too, or else it was cut.
 *
 * @param {Generator<Buffer>} chunks
 */
function* linesOf(chunks) {
  /** @type {Buffer[]} */
  let begun = [];
  let length = 0;
  let number = 1;
  for (const chunk of chunks) {
    let at = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, at)) {
      yield begun.length === 0 ? chunk.subarray(at, end) : Buffer.concat([...begun, chunk.subarray(at, end)]);
      begun = [];
      length = 0;
      number += 1;
      at = end + 1;
    }
    if (at === chunk.length) continue;
    // A copy: the chunk's memory is used again.
    begun.push(Buffer.from(chunk.subarray(at)));
    length += chunk.length - at;
    if (length > LINE_BYTES_MAX)
      throw new BundleFault(`the line is longer than ${LINE_BYTES_MAX} bytes`, { line: number });
  }
  if (begun.length > 0) throw new BundleFault("the last line has no end: the file was cut", { line: number });
}

/**
 * @param {string} name
 * @param {Generator<Buffer>} chunks
 */
function textOf(name, chunks) {
  /** @type {Buffer[]} */
  const parts = [];
  let length = 0;
  for (const chunk of chunks) {
    parts.push(Buffer.from(chunk));
    length += chunk.length;
    if (length > TEXT_BYTES_MAX) throw new BundleFault("the file is far too large", { file: name });
  }
  return Buffer.concat(parts).toString("utf8");
}

/**
 * The next bytes of a file, some at a time, in memory that the next chunk overwrites.
 *
 * @param {number} file
 * @param {number} size
 */
function* chunksOf(file, size) {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size));
  for (let left = size; left > 0; ) {
    const read = readSync(file, buffer, 0, Math.min(buffer.length, left), null);
    if (read === 0 && size === Number.POSITIVE_INFINITY) return;
    if (read === 0) throw new BundleFault("the archive ends in the middle of a file", {});
    left -= read;
    yield buffer.subarray(0, read);
  }
}

/**
 * @param {number} file
 * @param {number} size
 */
function readExactly(file, size) {
  const buffer = Buffer.alloc(size);
  let at = 0;
  while (at < size) {
    const read = readSync(file, buffer, at, size - at, null);
    if (read === 0) return null;
    at += read;
  }
  return buffer;
}
