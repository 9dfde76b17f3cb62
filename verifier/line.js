/**
 * @typedef {object} Line A line of events.jsonl.
 * @property {number} seq
 * @property {string} prev
 * @property {string} header The exact text that was hashed.
 * @property {string} hash
 * @property {string | null} salt
 * @property {string | null} data
 * @property {readonly string[]} blobs
 * @property {Header} parsed
 * @property {null} why
 *
 * @typedef {object} BadLine
 * @property {number | null} seq
 * @property {Header | null} parsed
 * @property {string} why What is wrong with it.
 *
 * @typedef {object} Header The members that are looked at; the text has eight of them and no more.
 * @property {string} dataHash
 * @property {string} id
 * @property {string} stream
 * @property {string} type
 * @property {number} version
 */

/** Text that stands in JSON as it is. */
const PLAIN_TEXT = String.raw`[^"\\\x00-\x1f]*`;
const HASH = /^[0-9a-f]{64}$/;
const SALT = /^[0-9a-f]{32}$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** @type {readonly string[]} */
const NONE = [];
const MEMBERS = ["seq", "prev", "header", "hash", "salt", "data", "blobs"];

/** A header whose texts need no escaping. What matches is canonical, and has the eight members and no more. */
const PLAIN_HEADER = new RegExp(
  String.raw`^\{"actor":"${PLAIN_TEXT}","at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","cause":(null|"${PLAIN_TEXT}"),` +
    '"dataHash":"([0-9a-f]{64})","id":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})",' +
    String.raw`"stream":"(${PLAIN_TEXT})","type":"(${PLAIN_TEXT})","version":([1-9]\d{0,14})\}$`,
);
/** Quotes in such a header, each escaped in the line; and all that stands in a line beside its values. */
const HEADER_QUOTES = 28;
const LINE_CHARS = '{"seq":,"prev":"","header":"","hash":"","salt":"","data":""}'.length;

/**
 * @param {string} text
 * @returns {Line | BadLine}
 */
export function parseLine(text) {
  const value = parseJson(text);
  return plainLine(text, value) ?? anyLine(text, value);
}

/**
 * A line as Nomos writes it, of an event whose texts need no escaping and which names no blobs: most are, and this is
 * several times as fast as the long way. Null for every other line; it takes nothing that the long way would refuse:
 * its values can be written no shorter, so a line of this length has no room for anything else.
 *
 * @param {string} text
 * @param {any} value
 * @returns {Line | null}
 */
function plainLine(text, value) {
  const { seq, prev, header, hash, salt, data } = value ?? {};
  if (typeof header !== "string" || typeof prev !== "string" || typeof hash !== "string") return null;
  if (typeof salt !== "string" || typeof data !== "string" || !text.startsWith(`{"seq":${seq},"prev":"`)) return null;
  const [, cause, dataHash, id, stream, type, version] = PLAIN_HEADER.exec(header) ?? [];
  if (dataHash === undefined || id === undefined || stream === undefined || type === undefined) return null;
  const quotes = HEADER_QUOTES + (cause === "null" ? 0 : 2);
  const values = String(seq).length + prev.length + header.length + quotes + hash.length + salt.length + data.length;
  if (text.length !== LINE_CHARS + values || prev.length !== 64 || hash.length !== 64) return null;
  if (!Number.isSafeInteger(seq) || !SALT.test(salt) || data.includes("-") || data.includes("_")) return null;
  const parsed = { dataHash, id, stream, type, version: Number(version) };
  return { seq, prev, header, hash, salt, data, blobs: NONE, parsed, why: null };
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
 * @param {any} value
 * @returns {Line | BadLine}
 */
function anyLine(text, value) {
  const fault = (/** @type {string} */ why, /** @type {Header | null} */ parsed = null) => {
    return { seq: Number.isSafeInteger(value?.seq) ? Number(value.seq) : null, parsed, why };
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
  return { seq, prev, header, hash, salt, data, blobs, parsed, why: null };
}

/**
 * @param {string} text
 * @returns {Header | string} The header, or what is wrong with it.
 */
export function parseHeader(text) {
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
