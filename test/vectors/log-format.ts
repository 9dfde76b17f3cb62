import { createHash } from "node:crypto";

/**
 * The test vectors of docs/reference/log-format.md, computed with sha256 alone: the headers are written by hand as the
 * hashed text, so that a bug in the product cannot get into them.
 */
export interface LogVectors {
  readonly call: { readonly principal: string; readonly key: string; readonly request: string; readonly cause: string };
  readonly events: readonly EventVector[];
  /** The line of `turn admitted` after the erasure in the last event: header, hash and leaf stay. */
  readonly erased: EventVector;
  /** Roots of the trees over the first event, the first two, and so on. */
  readonly roots: readonly string[];
}

export interface EventVector {
  readonly name: string;
  readonly prev: string;
  readonly header: string;
  readonly hash: string;
  readonly salt: string | null;
  readonly data: string | null;
  readonly leaf: string;
}

export function logVectors(): LogVectors {
  const principal = "operator";
  const key = "b7c1-first-try";
  const request = '{"input":{"prompt":"Grüße 😀"},"syscall":"session.prompt"}';
  const cause = `call:${sha256(principal, ZERO_BYTE, key).toString("hex")}:${sha256(request).toString("hex")}`;

  const lease = event("first event of a stream", ZEROS, 0x10, "system", 1, LEASE_ACQUIRED);
  const opened = event("session opened", ZEROS, 0x20, SESSION, 1, SESSION_OPENED);
  const started = event("second event of a stream", opened.hash, 0x30, SESSION, 2, SESSION_STARTED);
  const admitted = event("turn admitted", started.hash, 0x40, SESSION, 3, { ...TURN_ADMITTED, cause });
  const forked = event("fork at the session's version 2", started.hash, 0x50, FORK, 1, SESSION_FORKED);
  const agent = event("agent created", ZEROS, 0x60, "agent/claude", 1, AGENT_CREATED);
  const token = event("token revoked", ZEROS, 0x70, "token/0197b3c1-0007-7000-8000-000000000007", 1, TOKEN_REVOKED);
  const erasure = event("data erased", admitted.hash, 0x80, SESSION, 4, DATA_ERASED);

  const events = [lease, opened, started, admitted, forked, agent, token, erasure];
  const erased = { ...admitted, name: "turn admitted, erased", salt: null, data: null };
  const leaves = events.map(({ leaf }) => Buffer.from(leaf, "hex"));
  const roots = leaves.map((_, n) => rootOf(leaves.slice(0, n + 1)).toString("hex"));
  return { call: { principal, key, request, cause }, events, erased, roots };
}

interface Written {
  readonly type: string;
  readonly actor: string;
  readonly data: string;
  readonly cause?: string;
}

const ZEROS = "00".repeat(32);
const ZERO_BYTE = Buffer.from([0]);
const SALT_BYTES = 16;
const SESSION = "session/0197b3c1-0002-7000-8000-000000000002";
const FORK = "session/0197b3c1-0005-7000-8000-000000000005";
const SPEC =
  '{"name":"calm-otter-07","adapter":"demo","agent":"demo","workspace":"home","ground":"/srv/home","cwd":"/srv/home",' +
  '"sandbox":"off","scope":null,"network":null,"parentSessionId":null,"depth":0,"file":null,"external":null}';

const LEASE_ACQUIRED: Written = {
  type: "lease.acquired@1",
  actor: "daemon",
  data: '{"resource":"home","holder":"4711","fence":1}',
};
const SESSION_OPENED: Written = {
  type: "session.opened@1",
  actor: "operator",
  data: `{"spec":${SPEC},"label":"größer \\"als\\" 1"}`,
};
const SESSION_STARTED: Written = { type: "session.started@1", actor: "daemon", data: '{"continuity":"fresh"}' };
const TURN_ADMITTED: Written = {
  type: "turn.admitted@1",
  actor: "operator",
  data: '{"turnId":"0197b3c1-0104-7000-8000-000000000104","prompt":"Grüße 😀\\u0000","blob":null,"bytes":13,"queued":false}',
};
const SESSION_FORKED: Written = {
  type: "session.forked@1",
  actor: "operator",
  data:
    `{"spec":${SPEC},"label":null,"from":{"sessionId":"0197b3c1-0002-7000-8000-000000000002","stream":"${SESSION}",` +
    `"version":2,"eventId":"0197b3c1-0030-7000-8000-000000000030"},"root":"0197b3c1-0002-7000-8000-000000000002",` +
    `"view":{"path":[{"kind":"inherited","stream":"${SESSION}","version":2},{"kind":"own","stream":"${FORK}","from":1,"to":null}],` +
    '"artifacts":{},"todo":[]}}',
};
const AGENT_CREATED: Written = {
  type: "agent.created@1",
  actor: "daemon",
  data: '{"slug":"claude","name":"Claude Code","driver":"claude","tools":{},"builtIn":true}',
};
const TOKEN_REVOKED: Written = { type: "token.revoked@1", actor: 'token:"quoted"\n', data: "{}" };
const DATA_ERASED: Written = {
  type: "data.erased@1",
  actor: "operator",
  data: '{"events":["0197b3c1-0040-7000-8000-000000000040"],"reason":"the author asked for it"}',
};

/** `n` determines id, time and salt of an event, so that they are reproducible. */
function event(name: string, prev: string, n: number, stream: string, version: number, written: Written): EventVector {
  const no = n.toString(16).padStart(4, "0");
  const salt = Buffer.from(Array.from({ length: SALT_BYTES }, (_, at) => n + at));
  const data = Buffer.from(written.data, "utf8");
  const header =
    `{"actor":${quoted(written.actor)},"at":"2026-11-15T08:30:00.${(n * 3).toString().padStart(3, "0")}Z",` +
    `"cause":${written.cause === undefined ? "null" : quoted(written.cause)},` +
    `"dataHash":"${sha256(salt, data).toString("hex")}","id":"0197b3c1-${no}-7000-8000-${no.padStart(12, "0")}",` +
    `"stream":"${stream}","type":"${written.type}","version":${version}}`;
  const hash = sha256(Buffer.from(prev, "hex"), header);
  return {
    name,
    prev,
    header,
    hash: hash.toString("hex"),
    salt: salt.toString("hex"),
    data: data.toString("base64"),
    leaf: sha256(LEAF, hash).toString("hex"),
  };
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}

const LEAF = Buffer.from([0]);
const INNER = Buffer.from([1]);

/** RFC 6962: a tree is split at the largest power of two below its size. */
function rootOf(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return sha256();
  if (leaves.length === 1) return only;
  const split = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return sha256(INNER, rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

function sha256(...parts: readonly (Buffer | string)[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}
