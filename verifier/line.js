/**
 * @typedef {object} Line A line of events.jsonl.
 * @property {number} seq
 * @property {string} prev
 * @property {string} header The exact text that was hashed.
 * @property {string} hash
 * @property {string | null} salt
 * @property {string | null} data
 * @property {string[]} blobs
 * @property {Header} parsed
 *
 * @typedef {object} Header The members that are looked at; the text has eight of them and no more.
 * @property {string} dataHash
 * @property {string} id
 * @property {string} stream
 * @property {string} type
 * @property {number} version
 */

const SEQ = /^[1-9]\d{0,14}$/;
const HASH = /^[0-9a-f]{64}$/;
const SALT = /^[0-9a-f]{32}$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MEMBERS = ["seq", "prev", "header", "hash", "salt", "data", "blobs"];

/** A header whose texts need no escaping. What matches is canonical, and has the eight members and no more. */
const PLAIN_HEADER =
  /^\{"actor":"[^"\\\x00-\x1f]*","at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","cause":(?:null|"[^"\\\x00-\x1f]*"),"dataHash":"([0-9a-f]{64})","id":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})","stream":"([^"\\\x00-\x1f]*)","type":"([^"\\\x00-\x1f]*)","version":([1-9]\d{0,14})\}$/;

/**
 * @param {string} text
 * @returns {Line | { seq: number | null, header: Header | null, why: string }} The line, or what is wrong with it.
 */
export function parseLine(text) {
  return parsePlain(text) ?? parseAny(text);
}

/**
 * A line as Nomos writes it, of an event whose texts need no escaping and which names no blobs: most are, and this is
 * several times as fast as the long way. Null for every other line; it takes nothing that the long way would refuse.
 *
 * @param {string} text
 * @returns {Line | null}
 */
function parsePlain(text) {
  const prevAt = text.indexOf(',"prev":"') + 9;
  const headerAt = prevAt + 76;
  const hashAt = text.indexOf('","hash":"', headerAt) + 10;
  const saltAt = hashAt + 74;
  const dataAt = saltAt + 42;
  const isPlain =
    text.startsWith('{"seq":') &&
    text.startsWith('","header":"', prevAt + 64) &&
    hashAt > headerAt &&
    text.startsWith('","salt":"', hashAt + 64) &&
    text.startsWith('","data":"', saltAt + 32) &&
    text.endsWith('"}') &&
    text.indexOf('"', dataAt) === text.length - 2 &&
    text.indexOf("\\", hashAt) < 0;
  if (!isPlain) return null;
  const header = text.slice(headerAt, hashAt - 10).replaceAll('\\"', '"');
  const [, dataHash, id, stream, type, version] = PLAIN_HEADER.exec(header) ?? [];
  const [prev, hash, salt] = [
    text.slice(prevAt, prevAt + 64),
    text.slice(hashAt, hashAt + 64),
    text.slice(saltAt, saltAt + 32),
  ];
  const seq = text.slice(7, prevAt - 9);
  if (!SEQ.test(seq) || !HASH.test(prev) || !HASH.test(hash) || !SALT.test(salt)) return null;
  if (dataHash === undefined || id === undefined || stream === undefined || type === undefined) return null;
  const parsed = { dataHash, id, stream, type, version: Number(version) };
  return { seq: Number(seq), prev, header, hash, salt, data: text.slice(dataAt, -2), blobs: [], parsed };
}

/** @param {string} text */
export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} text
 * @returns {ReturnType<typeof parseLine>}
 */
function parseAny(text) {
  const value = parseJson(text);
  const fault = (/** @type {string} */ why, /** @type {Header | null} */ header = null) => {
    return { seq: Number.isSafeInteger(value?.seq) ? Number(value.seq) : null, header, why };
  };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fault("the line is no JSON object");
  const { seq, prev, header, hash, salt, data, blobs = [] } = value;
  const misspelled = memberFault(text);
  if (misspelled !== null) return fault(misspelled);
  if (!Number.isSafeInteger(seq)) return fault("seq is no whole number");
  if (typeof header !== "string" || !header.isWellFormed()) return fault("header is no text");
  const parsed = parseHeader(header);
  if (typeof parsed === "string") return fault(parsed);
  if (!isText(prev, HASH)) return fault("prev is not 64 hex digits", parsed);
  if (!isText(hash, HASH)) return fault("hash is not 64 hex digits", parsed);
  if (salt !== null && !isText(salt, SALT)) return fault("salt is neither null nor 32 hex digits", parsed);
  if (data !== null && !isText(data, BASE64)) return fault("data is neither null nor base64", parsed);
  if (!Array.isArray(blobs) || !blobs.every((blob) => isText(blob, HASH)))
    return fault("blobs is no list of sha256 hashes", parsed);
  return { seq, prev, header, hash, salt, data, blobs, parsed };
}

/**
 * @param {string} text
 * @returns {Header | string} The header, or what is wrong with it.
 */
function parseHeader(text) {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null) return "the header is no JSON object";
  const { actor, at, cause, dataHash, id, stream, type, version } = value;
  const texts = [actor, at, dataHash, id, stream, type, cause ?? ""];
  if (!texts.every((member) => typeof member === "string") || cause === undefined)
    return "the header does not have the eight members";
  if (!Number.isSafeInteger(version) || version < 1) return "the header's version is no version";
  const canonical =
    `{"actor":${JSON.stringify(actor)},"at":${JSON.stringify(at)},"cause":${JSON.stringify(cause)},` +
    `"dataHash":${JSON.stringify(dataHash)},"id":${JSON.stringify(id)},"stream":${JSON.stringify(stream)},` +
    `"type":${JSON.stringify(type)},"version":${version}}`;
  if (canonical !== text) return "the header is not the canonical text of its eight members";
  if (!HASH.test(dataHash)) return "the header's dataHash is not 64 hex digits";
  if (!UUID.test(id)) return "the header's id is no UUID";
  if (!TIME.test(at)) return "the header's time is not in UTC with milliseconds";
  return { dataHash, id, stream, type, version };
}

/**
 * A member that stands there twice means one thing to one reader and another to the next.
 *
 * @param {string} text
 */
function memberFault(text) {
  /** @type {string[]} */
  const keys = [];
  let depth = 0;
  let last = "";
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (token === ":" && depth === 1) keys.push(JSON.parse(last));
    last = token;
  }
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice !== undefined) return `the member ${twice} stands there twice`;
  const unknown = keys.find((key) => !MEMBERS.includes(key));
  return unknown === undefined ? null : `there is no member ${unknown} in a bundle`;
}

/**
 * @param {unknown} value
 * @param {RegExp} form
 */
function isText(value, form) {
  return typeof value === "string" && form.test(value);
}
