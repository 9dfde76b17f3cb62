import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { BundleFault } from "./fault.js";
import { parseJson, parseLine } from "./line.js";
import { createSeen } from "./seen.js";
import { createTree } from "./tree.js";

/**
 * @typedef {import("./fault.js").Place} Place
 * @typedef {import("./line.js").Header} Header
 * @typedef {object} Found
 * @property {number} streams
 * @property {number} erased
 * @property {Map<string, Place>} blobs Each blob that an event names, with the first event that does.
 */

const ZEROS = "0".repeat(64);
/** @type {readonly string[]} */
const NONE = [];
const HASH_BYTES = 32;
const ID_BYTES = 16;
const SALT_BYTES = 16;
/** Events that hold JSON of somebody else's making, which names nothing of ours. */
const FOREIGN = /^(?:effect\.intended@1|approval\.requested@1|x\..*)$/;

/**
 * Checks events one by one, in order: what each is, that it follows from those before it, and what they come to.
 *
 * @param {readonly number[]} sizes At these the root is asked for.
 */
export function createEventCheck(sizes) {
  const tree = createTree();
  const hashes = createSeen(HASH_BYTES / 4);
  const ids = createSeen(ID_BYTES / 4);
  /** @type {Map<string, { number: number, version: number, hash: string }>} */
  const streams = new Map();
  /** @type {Map<string, Place>} */
  const unnamed = new Map();
  /** @type {Map<string, Place>} */
  const blobs = new Map();
  /** @type {Map<number, Buffer>} */
  const roots = new Map();
  const wanted = new Set(sizes);
  /** Of each event: its stream's number and its version, for forks. */
  let places = new Uint32Array(2048);
  let scratch = Buffer.alloc(65_536);
  let count = 0;
  let erased = 0;
  const eventHash = createKey(HASH_BYTES);
  const otherHash = createKey(HASH_BYTES);
  const id = createKey(ID_BYTES);

  /** @param {Buffer} bytes One line, without its end. */
  const take = (bytes) => {
    if (bytes[bytes.length - 1] === 13) throw faultAt("the line ends with a carriage return", null, null);
    if (!isUtf8(bytes)) throw faultAt("the line is not UTF-8", null, null);
    const line = parseLine(bytes.toString("utf8"));
    if (line.why !== null) throw faultAt(line.why, line.seq, line.parsed);
    const { seq, parsed } = line;
    if (seq !== count + 1) throw faultAt(`seq is ${seq}, ${count + 1} comes next`, seq, parsed);
    if (hashOf(line.prev, line.header) !== line.hash) throw faultAt("hash is not sha256(prev || header)", seq, parsed);
    const data = dataOf(line, parsed.dataHash);
    if (typeof data === "string") throw faultAt(data, seq, parsed);
    const broken =
      chainFault(line, parsed, data) ?? repetition(line.hash, parsed.id) ?? contentFault(line, parsed, data);
    if (broken !== null) throw faultAt(broken, seq, parsed);
    tree.append(eventHash.bytes);
    count += 1;
    if (wanted.has(count)) roots.set(count, tree.root());
  };

  /**
   * @param {number | null} seq
   * @param {Header | null} header
   * @returns {Place}
   */
  const placeOf = (seq, header) => {
    return { line: count + 1, seq, stream: header?.stream ?? null, version: header?.version ?? null };
  };
  /**
   * @param {string} why
   * @param {number | null} seq
   * @param {Header | null} header
   */
  const faultAt = (why, seq, header) => new BundleFault(why, placeOf(seq, header));

  /**
   * @param {string} hashText
   * @param {string} idText
   */
  const repetition = (hashText, idText) => {
    eventHash.bytes.write(hashText, "hex");
    id.bytes.write(idText.replaceAll("-", ""), "hex");
    if (!ids.add(id.words)) return `an event with the id ${idText} was there before`;
    return hashes.add(eventHash.words) ? null : "an event with this hash was there before";
  };

  /**
   * What the event says about others: that they were erased, and which blobs there are.
   *
   * @param {import("./line.js").Line} line
   * @param {Header} header
   * @param {Buffer | null} data
   */
  const contentFault = (line, header, data) => {
    if (data === null) {
      unnamed.set(header.id, placeOf(line.seq, header));
      erased += 1;
    } else if (header.type === "data.erased@1") nameErased(data, header.stream);
    const named = data === null ? NONE : blobsIn(header.type, data);
    if (!sameNames(named, line.blobs)) return "blobs are not those that the data names";
    for (const blob of named) if (!blobs.has(blob)) blobs.set(blob, placeOf(line.seq, header));
    return null;
  };

  /**
   * @param {string} prev
   * @param {string} header
   */
  const hashOf = (prev, header) => {
    reserve(HASH_BYTES + header.length * 3);
    if (scratch.write(prev, 0, "hex") !== HASH_BYTES) return "";
    const end = HASH_BYTES + scratch.write(header, HASH_BYTES, "utf8");
    return hash("sha256", scratch.subarray(0, end), "hex");
  };

  /**
   * @param {import("./line.js").Line} line
   * @param {string} dataHash
   * @returns {Buffer | null | string} The data (valid until the next line), null when it was erased, or what is wrong.
   */
  const dataOf = ({ salt, data }, dataHash) => {
    if (salt === null && data === null) return null;
    if (salt === null || data === null) return "one of salt and data is gone, the other is there";
    reserve(SALT_BYTES + data.length);
    scratch.write(salt, 0, "hex");
    const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
    const end = SALT_BYTES + scratch.write(data, SALT_BYTES, "base64");
    if (data.length % 4 !== 0 || end - SALT_BYTES !== (data.length / 4) * 3 - padding) return "data is no base64";
    if (hash("sha256", scratch.subarray(0, end), "hex") !== dataHash) return "dataHash is not sha256(salt || data)";
    return scratch.subarray(SALT_BYTES, end);
  };

  /**
   * @param {import("./line.js").Line} line
   * @param {Header} header
   * @param {Buffer | null} data
   */
  const chainFault = ({ prev, hash: own }, { stream, version, type }, data) => {
    const before = streams.get(stream);
    const next = (before?.version ?? 0) + 1;
    if (version !== next) return `version ${next} of the stream comes next, not ${version}`;
    const isFork = version === 1 && type === "session.forked@1";
    const forkFault = isFork ? forkedFrom(prev, data) : null;
    if (forkFault !== null) return forkFault;
    if (!isFork && prev !== (before?.hash ?? ZEROS))
      return before === undefined
        ? "prev of a new stream is not zero"
        : "prev is not the hash of the stream's previous event";
    const number = before?.number ?? streams.size;
    if (before === undefined) streams.set(stream, { number, version, hash: own });
    else {
      before.version = version;
      before.hash = own;
    }
    if (places.length < 2 * (count + 1)) {
      const larger = new Uint32Array(places.length * 2);
      larger.set(places);
      places = larger;
    }
    places[2 * count] = number;
    places[2 * count + 1] = version;
    return null;
  };

  /**
   * @param {string} prev
   * @param {Buffer | null} data
   */
  const forkedFrom = (prev, data) => {
    otherHash.bytes.write(prev, "hex");
    const at = hashes.find(otherHash.words);
    if (at < 0 || prev !== prev.toLowerCase()) return "prev of a fork is not the hash of an event before it";
    if (data === null) return null;
    const from = parseJson(data.toString("utf8"))?.from;
    const isThere = streams.get(from?.stream)?.number === places[2 * at] && from?.version === places[2 * at + 1];
    return isThere ? null : "prev of a fork is not the hash of the event that it names";
  };

  /**
   * @param {Buffer} data
   * @param {string} stream
   */
  const nameErased = (data, stream) => {
    const named = parseJson(data.toString("utf8"))?.events;
    for (const each of Array.isArray(named) ? named : [])
      if (unnamed.get(each)?.stream === stream) unnamed.delete(each);
  };

  /** @param {number} bytes */
  const reserve = (bytes) => {
    if (scratch.length < bytes) scratch = Buffer.alloc(bytes * 2);
  };

  return {
    take,
    count: () => count,
    root: tree.root,
    /** @param {number} size */
    rootAt: (size) => roots.get(size) ?? null,
    /**
     * What there was; refuses what no later event has explained.
     *
     * @returns {Found}
     */
    finish: () => {
      const [lost] = unnamed.values();
      if (lost !== undefined)
        throw new BundleFault("the data is gone, and no later data.erased event of the stream names the event", lost);
      return { streams: streams.size, erased, blobs };
    },
  };
}

/**
 * The same bytes as bytes and as words.
 *
 * @param {number} length
 */
function createKey(length) {
  const memory = new ArrayBuffer(length);
  return { bytes: Buffer.from(memory), words: new Int32Array(memory) };
}

const NAMES_BLOB = Buffer.from('"blob":"');

/**
 * @param {string} type
 * @param {Buffer} data
 * @returns {readonly string[]}
 */
function blobsIn(type, data) {
  if (!data.includes(NAMES_BLOB) || FOREIGN.test(type)) return NONE;
  /** @type {Set<string>} */
  const found = new Set();
  /** @param {unknown} value */
  const visit = (value) => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key === "blob" && typeof member === "string" && /^[0-9a-f]{64}$/.test(member)) found.add(member);
      else visit(member);
    }
  };
  visit(parseJson(data.toString("utf8")));
  return [...found];
}

/**
 * @param {readonly string[]} named
 * @param {readonly string[]} listed
 */
function sameNames(named, listed) {
  return named.length === listed.length && named.every((name) => listed.includes(name));
}
