import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { BundleFault } from "./fault.js";
import { parseHeader, parseJson } from "./line.js";
import { parseCheckpoint, parseKey, signatureFault } from "./note.js";

/**
 * @typedef {object} BlameVerdict
 * @property {true} ok
 * @property {string} origin
 * @property {string} key
 * @property {number} lines
 * @property {readonly { lines: string, session: string, turn: string, event: string, agent: string, model: string | null, approver: string | null, landed: string }[]} runs
 *
 * @typedef {{ id: string, stream: string, type: string, data: any }} ProvenEvent
 * @typedef {{ turns: any[], byText: Map<string, Set<number>>, used: boolean }} Recorded
 */

const FORMAT = "nomos-blame-proof/1";
const PROOF_BYTES_MAX = 256 * 1024 * 1024;
const HASH = /^[0-9a-f]{64}$/;
const SALT = /^[0-9a-f]{32}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const LINE_HASH_DIGITS = 32;
const PROOF_HASHES_MAX = 64;

/**
 * Verifies who wrote lines: that the log's key signed the events they rest on, that the landing's event names the
 * recorded lines, and that these hold each line with its turn. Throws a `BundleFault` that names the first thing that is
 * wrong.
 *
 * @param {string} path
 * @param {{ key: import("./note.js").Key | null, file: string | null }} options `file`: it must have these very lines.
 * @returns {BlameVerdict}
 */
export function verifyBlame(path, { key: expected, file }) {
  if (statSync(path).size > PROOF_BYTES_MAX) throw fault("the proof is too large", path);
  const proof = parseJson(readFileSync(path, "utf8"));
  if (!hasMembers(proof, ["format", "key", "lines", "events", "blobs"]) || proof.format !== FORMAT)
    throw fault(`it is no ${FORMAT}`, path);
  const key = typeof proof.key === "string" ? parseKey(proof.key) : null;
  if (key === null || key.text !== proof.key) throw fault("it brings no verifier key", path);
  if (expected !== null && expected.text !== key.text)
    throw fault(`the proof brings the key ${key.text}, expected is ${expected.text}`, path);
  /** @type {Map<string, ProvenEvent>} */
  const events = new Map();
  for (const [at, one] of list(proof.events, path).entries()) {
    const event = checkEvent(one, key, `event ${at + 1}`);
    if (events.has(event.id)) throw fault("an event is there twice", event.id);
    events.set(event.id, event);
  }
  /** @type {Map<string, Recorded>} */
  const blobs = new Map();
  for (const one of list(proof.blobs, path)) {
    if (blobs.has(one?.sha256)) throw fault("recorded lines are there twice", one.sha256);
    blobs.set(one?.sha256, checkBlob(one));
  }
  const texts = file === null ? null : linesOf(readFileSync(file));
  if (list(proof.lines, path).length === 0) throw fault("it proves no line", path);
  /** @type {Set<string>} */
  const used = new Set();
  /** @type {ReturnType<typeof checkLine>[]} */
  const lines = [];
  for (const one of list(proof.lines, path)) {
    const line = checkLine(one, events, blobs, texts);
    if (line.line <= (lines.at(-1)?.line ?? 0)) throw fault("the lines are not in order", `line ${line.line}`);
    for (const id of [line.event, line.landed]) used.add(id);
    lines.push(line);
  }
  for (const id of events.keys()) if (!used.has(id)) throw fault("no line rests on this event", id);
  for (const [sha256, { used: isUsed }] of blobs)
    if (!isUsed) throw fault("no line is among these recorded lines", sha256);
  return { ok: true, origin: key.name, key: key.text, lines: lines.length, runs: runsOf(lines) };
}

/**
 * @param {any} one
 * @param {import("./note.js").Key} key
 * @param {string} where
 * @returns {ProvenEvent}
 */
function checkEvent(one, key, where) {
  const members = ["eventId", "seq", "leafIndex", "size", "leafHash", "hashes", "root", "checkpoint", "event"];
  if (!hasMembers(one, members) || !hasMembers(one.event, ["prev", "header", "hash", "salt", "data"]))
    throw fault("it is no proof of an event", where);
  const { prev, header: text, hash: own, salt, data } = one.event;
  const header = typeof text === "string" && text.isWellFormed() ? parseHeader(text) : "the header is no text";
  if (typeof header === "string") throw fault(header, where);
  if (header.id !== one.eventId) throw fault("it is another event than the one it is called", where);
  if (!HASH.test(prev) || !HASH.test(own)) throw fault("prev or hash is not 64 hex digits", where);
  const found = hash("sha256", Buffer.concat([Buffer.from(prev, "hex"), Buffer.from(text)]), "hex");
  if (found !== own) throw fault("hash is not sha256(prev || header)", where);
  if (typeof salt !== "string" || !SALT.test(salt) || typeof data !== "string" || !BASE64.test(data))
    throw fault("salt or data is missing or misspelled", where);
  const bytes = Buffer.from(data, "base64");
  if (bytes.toString("base64") !== data) throw fault("data is not written as base64 is", where);
  if (hash("sha256", Buffer.concat([Buffer.from(salt, "hex"), bytes]), "hex") !== header.dataHash)
    throw fault("dataHash is not sha256(salt || data)", where);
  checkInclusion(one, key, where);
  return { id: header.id, stream: header.stream, type: header.type, data: parseJson(bytes.toString("utf8")) };
}

/**
 * @param {any} one
 * @param {import("./note.js").Key} key
 * @param {string} where
 */
function checkInclusion({ seq, leafIndex, size, leafHash, hashes, root, checkpoint: note, event }, key, where) {
  const checkpoint = typeof note === "string" ? parseCheckpoint(note) : null;
  if (checkpoint === null) throw fault("it has no checkpoint", where);
  const unsigned = signatureFault(checkpoint, key);
  if (unsigned !== null) throw fault(`of the checkpoint: ${unsigned}`, where);
  if (checkpoint.size !== size) throw fault("the checkpoint is over another number of events", where);
  if (checkpoint.root.toString("hex") !== root) throw fault("the checkpoint has another root", where);
  if (!Number.isSafeInteger(leafIndex) || leafIndex < 0 || leafIndex >= size || seq !== leafIndex + 1)
    throw fault("its place is not in the tree", where);
  const leaf = hash("sha256", Buffer.concat([Buffer.from([0]), Buffer.from(event.hash, "hex")]), "hex");
  if (leaf !== leafHash) throw fault("leafHash is not that of the event", where);
  if (
    !Array.isArray(hashes) ||
    hashes.length > PROOF_HASHES_MAX ||
    !hashes.every((one) => typeof one === "string" && HASH.test(one))
  )
    throw fault("hashes is no list of hashes", where);
  if (rootBy(leaf, leafIndex, size, hashes) !== root)
    throw fault("the event is not in the tree that was signed", where);
}

/**
 * RFC 9162, 2.1.3.2. Null when there are too many hashes, or too few.
 *
 * @param {string} leaf
 * @param {number} index
 * @param {number} size
 * @param {readonly string[]} hashes
 */
function rootBy(leaf, index, size, hashes) {
  let [at, last, top] = [index, size - 1, leaf];
  for (const one of hashes) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      top = nodeOf(one, top);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else top = nodeOf(top, one);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? top : null;
}

/**
 * @param {string} left
 * @param {string} right
 */
function nodeOf(left, right) {
  return hash("sha256", Buffer.concat([Buffer.from([1]), Buffer.from(left + right, "hex")]), "hex");
}

/**
 * @param {any} one
 * @returns {Recorded}
 */
function checkBlob(one) {
  if (!hasMembers(one, ["sha256", "text"]) || typeof one.text !== "string" || typeof one.sha256 !== "string")
    throw fault("these are no recorded lines", String(one?.sha256));
  if (hash("sha256", one.text, "hex") !== one.sha256) throw fault("the recorded lines have other bytes", one.sha256);
  const recorded = parseJson(one.text);
  const wrong = () => fault("the recorded lines cannot be read", one.sha256);
  if (recorded?.format !== 1 || !Array.isArray(recorded.turns) || !Array.isArray(recorded.commits)) throw wrong();
  const files = recorded.commits.flatMap((/** @type {any} */ commit) => commit?.files ?? [null]);
  if (!files.every(isRecordedFile)) throw wrong();
  /** @type {Map<string, Set<number>>} */
  const byText = new Map();
  for (const { runs, hashes } of files) {
    let at = 0;
    for (const [, count, turn] of runs)
      for (let n = 0; n < count && at < hashes.length; n += 1, at += LINE_HASH_DIGITS) {
        const text = hashes.slice(at, at + LINE_HASH_DIGITS);
        byText.set(text, (byText.get(text) ?? new Set()).add(turn));
      }
    if (at !== hashes.length) throw wrong();
  }
  return { turns: recorded.turns, byText, used: false };
}

/** @param {any} file */
function isRecordedFile(file) {
  return Array.isArray(file?.runs) && file.runs.every(Array.isArray) && typeof file.hashes === "string";
}

/**
 * @param {any} one
 * @param {Map<string, ProvenEvent>} events
 * @param {Map<string, Recorded>} blobs
 * @param {readonly Buffer[] | null} texts
 */
function checkLine(one, events, blobs, texts) {
  const told = ["sessionId", "turnId", "eventId", "agent", "model", "approver"];
  if (!hasMembers(one, ["line", "bytes", ...told, "landedEventId"]) || !Number.isSafeInteger(one.line) || one.line < 1)
    throw fault("it is no line of a proof", String(one?.line));
  const where = `line ${one.line}`;
  const bytes = typeof one.bytes === "string" && BASE64.test(one.bytes) ? Buffer.from(one.bytes, "base64") : null;
  // One spelling of a line, so that no byte of a proof is left unchecked.
  if (bytes === null || bytes.toString("base64") !== one.bytes || bytes.at(-1) === 13)
    throw fault("its bytes are no base64 of a line", where);
  const landed = events.get(one.landedEventId);
  if (landed === undefined || landed.type !== "landing.landed@1" || !landed.stream.startsWith("landing/"))
    throw fault("the proof has no event of its landing", where);
  const recorded = blobs.get(landed.data?.lines?.blob);
  if (recorded === undefined) throw fault("the lines that its landing recorded are not in the proof", where);
  recorded.used = true;
  const turns = [...(recorded.byText.get(lineHash(bytes)) ?? [])].map((at) => recorded.turns[at]);
  const turn = turns.find(
    (known) => known !== undefined && known.eventId === one.eventId && known.turnId === one.turnId,
  );
  if (turn === undefined) throw fault("its landing did not record this line as of this turn", where);
  for (const member of told)
    if (turn[member] !== one[member]) throw fault(`its ${member} is not the one that was recorded`, where);
  const event = events.get(one.eventId);
  if (event === undefined || event.stream !== `session/${one.sessionId}` || event.data?.turnId !== one.turnId)
    throw fault("the proof has no event of its turn", where);
  if (texts !== null && !sameLine(texts[one.line - 1], bytes)) throw fault("the file has another line there", where);
  const { line, sessionId: session, turnId, eventId, agent, model, approver, landedEventId } = one;
  return { line, session, turn: turnId, event: eventId, agent, model, approver, landed: landedEventId };
}

/** @param {Buffer} bytes */
function lineHash(bytes) {
  return hash("sha256", Buffer.concat([Buffer.from("nomos line\n"), withoutReturn(bytes)]), "hex").slice(
    0,
    LINE_HASH_DIGITS,
  );
}

/** @param {Buffer} bytes */
function withoutReturn(bytes) {
  return bytes.at(-1) === 13 ? bytes.subarray(0, -1) : bytes;
}

/**
 * @param {Buffer | undefined} found
 * @param {Buffer} bytes
 */
function sameLine(found, bytes) {
  return found !== undefined && withoutReturn(found).equals(withoutReturn(bytes));
}

/** @param {Buffer} bytes */
function linesOf(bytes) {
  /** @type {Buffer[]} */
  const lines = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at);
    lines.push(bytes.subarray(at, end < 0 ? bytes.length : end));
    at = end < 0 ? bytes.length : end + 1;
  }
  return lines;
}

/** @param {readonly ReturnType<typeof checkLine>[]} lines */
function runsOf(lines) {
  /** @type {(Omit<ReturnType<typeof checkLine>, "line"> & { from: number, to: number })[]} */
  const runs = [];
  for (const { line, ...told } of lines) {
    const run = runs.at(-1);
    if (run !== undefined && run.to + 1 === line && run.event === told.event && run.landed === told.landed)
      run.to = line;
    else runs.push({ ...told, from: line, to: line });
  }
  return runs.map(({ from, to, ...told }) => ({ lines: from === to ? String(from) : `${from}-${to}`, ...told }));
}

/**
 * @param {any} value
 * @param {readonly string[]} names These, and no others: what is not looked at must not be there.
 */
function hasMembers(value, names) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const found = Object.keys(value);
  return found.length === names.length && names.every((name) => found.includes(name));
}

/**
 * @param {any} value
 * @param {string} path
 * @returns {any[]}
 */
function list(value, path) {
  if (Array.isArray(value)) return value;
  throw fault("a list is missing", path);
}

/**
 * @param {string} why
 * @param {string} where
 */
function fault(why, where) {
  return new BundleFault(why, { file: where });
}
