import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { LogEvent, OutputOf } from "../../../src/client/index.ts";
import { proves } from "../../../test/support/proves.ts";
import { shownStep } from "./shown-event.ts";
import { verifyEvent } from "./verify-event.ts";
import { type Remembered, witness } from "./witness.ts";

type Proof = OutputOf<"audit.proof">;

interface Stored {
  readonly prev: string;
  readonly header: string;
  readonly hash: string;
  readonly salt: string | null;
  readonly data: string | null;
  readonly leaf: string;
}

const { events, roots, erased }: { events: readonly Stored[]; roots: readonly string[]; erased: Stored } = JSON.parse(
  readFileSync(new URL("../../../test/vectors/log-format.json", import.meta.url), "utf8"),
);
const KEY = makeKey("nomos/vectors");
const LEAVES = events.map(({ leaf }) => Buffer.from(leaf, "hex"));

for (const [at, { header }] of events.entries())
  proves("AUD-11", `the proof of event ${at} of the frozen vectors: every step is good`, async () => {
    const verdict = await verified(proofOf(at));
    expect(verdict.steps.filter(({ is }) => is !== "good")).toEqual([]);
    expect(verdict).toMatchObject({ is: "good", header: JSON.parse(header) });
  });

proves("AUD-11", "an event whose data was erased: its header is still proved, and no data is shown", async () => {
  const { prev, header, hash, salt, data } = erased;
  const verdict = await verified({ ...proofOf(3), event: { prev, header, hash, salt, data } });
  expect(verdict).toMatchObject({ is: "good", dataText: null });
});

/** Each changes one thing, as somebody on the wire or a daemon that lies would. */
const FORGERIES: readonly (readonly [string, (proof: Proof) => Proof])[] = [
  [
    "a flipped bit in the header",
    (proof) => withEvent(proof, { header: proof.event.header.replace("operator", "opdrator") }),
  ],
  ["another header, hashed anew", (proof) => rehashed(proof, proof.event.header.replace("operator", "opdrator"))],
  ["a header with a ninth member, hashed anew", (proof) => rehashed(proof, proof.event.header.replace("}", ',"z":1}'))],
  ["a header with a space, hashed anew", (proof) => rehashed(proof, proof.event.header.replace(":", ": "))],
  ["a flipped bit in the data", (proof) => withEvent(proof, { data: flippedBase64(proof.event.data ?? "") })],
  ["a flipped bit in the salt", (proof) => withEvent(proof, { salt: flippedHex(proof.event.salt ?? "") })],
  ["data without its salt", (proof) => withEvent(proof, { salt: null })],
  ["a flipped bit in the hash before it", (proof) => withEvent(proof, { prev: flippedHex(proof.event.prev) })],
  ["a flipped bit in its hash", (proof) => withEvent(proof, { hash: flippedHex(proof.event.hash) })],
  ["a flipped bit in the path", (proof) => ({ ...proof, hashes: proof.hashes.map(flippedHex) })],
  ["a path that is one hash short", (proof) => ({ ...proof, hashes: proof.hashes.slice(1) })],
  ["a path that is one hash longer", (proof) => ({ ...proof, hashes: [...proof.hashes, proof.root] })],
  ["swapped siblings", (proof) => ({ ...proof, hashes: proof.hashes.toReversed() })],
  ["another leaf", (proof) => ({ ...proof, leafIndex: proof.leafIndex ^ 1, seq: (proof.leafIndex ^ 1) + 1 })],
  ["another seq than its leaf", (proof) => ({ ...proof, seq: proof.seq + 1 })],
  [
    "a root that nobody signed",
    (proof) => ({ ...proof, checkpoint: proof.checkpoint.replace(b64(proof.root), b64(roots[6] ?? "")) }),
  ],
  ["another size, signed by the key", (proof) => ({ ...proof, checkpoint: noteOf(KEY, 7, proof.root) })],
  [
    "another size that nobody signed",
    (proof) => ({ ...proof, checkpoint: proof.checkpoint.replace("\n8\n", "\n9\n") }),
  ],
  ["another root, signed by the key", (proof) => ({ ...proof, checkpoint: noteOf(KEY, 8, roots[6] ?? "") })],
  ["a flipped bit in the signature", (proof) => ({ ...proof, checkpoint: flippedSignature(proof.checkpoint) })],
  [
    "a signature by another key of the same name",
    (proof) => ({ ...proof, checkpoint: noteOf(makeKey("nomos/vectors"), 8, proof.root) }),
  ],
  ["a checkpoint of another log", (proof) => ({ ...proof, checkpoint: noteOf(makeKey("nomos/other"), 8, proof.root) })],
  ["no checkpoint", (proof) => ({ ...proof, checkpoint: "" })],
  ["hashes that are no hex", (proof) => ({ ...proof, hashes: proof.hashes.map(() => "zz".repeat(32)) })],
];

for (const [what, forge] of FORGERIES)
  proves("AUD-11", `a proof with ${what}: refused`, async () => {
    expect((await verified(forge(proofOf(3)))).is).toBe("bad");
  });

proves("AUD-11", "a good proof of another event than the one asked for: refused", async () => {
  expect((await verifyEvent(idIn(2), proofOf(3), KEY.text)).is).toBe("bad");
});

proves("AUD-11", "a key whose id is another key's: refused", async () => {
  const other = makeKey("nomos/vectors");
  const [name, , bytes] = KEY.text.split("+");
  const forged = `${name}+${other.text.split("+")[1]}+${bytes}`;
  expect((await verifyEvent(idIn(3), proofOf(3), forged)).is).toBe("bad");
});

proves("AUD-11", "a page that shows another event than was proved: each difference is named", async () => {
  const proof = proofOf(3);
  const verdict = await verified(proof);
  const { dataHash: _hash, ...header } = JSON.parse(proof.event.header);
  const data = JSON.parse(Buffer.from(proof.event.data ?? "", "base64").toString());
  const shown: LogEvent = { ...header, seq: 4, data, hash: proof.event.hash, prev: proof.event.prev };
  expect(shownStep(shown, verdict, 4)).toMatchObject({ is: "good" });
  const lies = { actor: "daemon", at: "2020-01-01T00:00:00Z", type: "turn.ended@1", version: 9, data: { prompt: "x" } };
  for (const [member, value] of Object.entries(lies)) {
    const step = shownStep({ ...shown, [member]: value }, verdict, 4);
    expect(step).toMatchObject({ is: "bad", says: expect.stringContaining(member) });
  }
  expect(shownStep({ ...shown, data: null }, verdict, 4)).toMatchObject({ is: "bad" });
  expect(shownStep({ ...shown, seq: 5 }, verdict, 4)).toMatchObject({ is: "bad" });
});

proves("AUD-11", "a browser that comes back: it proves that the log begins with what it saw", async () => {
  const first = await witness(null, { checkpoint: noteOf(KEY, 5, roots[4] ?? ""), key: KEY.text, now: "t1" }, never);
  expect(first).toMatchObject({ is: "first", remembered: { size: 5, root: roots[4], at: "t1" } });
  const again = await look(first.remembered, 5);
  expect(again.is).toBe("same");
  const grown = await look(first.remembered, 8);
  expect(grown).toMatchObject({ is: "grown", remembered: { size: 8, root: roots[7] } });
});

proves("AUD-11", "a changed key, a shorter log, another log: each is an alarm, and what was seen is kept", async () => {
  const seen: Remembered = { key: KEY.text, size: 5, root: roots[4] ?? "", at: "t1" };
  const other = makeKey("nomos/vectors");
  const changed = { checkpoint: noteOf(other, 8, roots[7] ?? ""), key: other.text, now: "t2" };
  expect(await witness(seen, changed, never)).toMatchObject({ is: "alarm", remembered: seen });
  expect(await look(seen, 4)).toMatchObject({ is: "alarm", remembered: seen });
  expect(await look({ ...seen, root: roots[3] ?? "" }, 5)).toMatchObject({ is: "alarm" });
  expect(await look({ ...seen, root: roots[3] ?? "" }, 8)).toMatchObject({ is: "alarm" });
  const forged = { checkpoint: flippedSignature(noteOf(KEY, 8, roots[7] ?? "")), key: KEY.text, now: "t2" };
  expect(await witness(seen, forged, never)).toMatchObject({ is: "alarm", remembered: seen });
});

const never = () => Promise.reject(new Error("nobody should ask for a proof"));

function look(seen: Remembered | null, size: number) {
  const checkpoint = noteOf(KEY, size, roots[size - 1] ?? "");
  const hashes = size > 5 ? consistency(5, LEAVES.slice(0, size), true).map((hash) => hash.toString("hex")) : [];
  return witness(seen, { checkpoint, key: KEY.text, now: "t2" }, async () => ({ hashes, checkpoint }));
}

function verified(proof: Proof) {
  return verifyEvent(proof.eventId, proof, KEY.text);
}

function idIn(at: number): string {
  return JSON.parse(events[at]?.header ?? "{}").id;
}

function proofOf(at: number): Proof {
  const event = events[at];
  if (event === undefined) throw new Error(`no event ${at}`);
  const { prev, header, hash, salt, data, leaf } = event;
  const root = roots.at(-1) ?? "";
  return {
    eventId: idIn(at),
    seq: at + 1,
    leafIndex: at,
    size: events.length,
    leafHash: leaf,
    hashes: inclusion(at, LEAVES).map((part) => part.toString("hex")),
    root,
    checkpoint: noteOf(KEY, events.length, root),
    event: { prev, header, hash, salt, data },
  };
}

/** The definitions of RFC 6962 as they stand there: short, slow, and nothing like the code under test. */
function rootOf(leaves: readonly Buffer[]): Buffer {
  const [only = Buffer.alloc(0)] = leaves;
  if (leaves.length <= 1) return only;
  const left = split(leaves.length);
  const parts = [Buffer.of(1), rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left))];
  return createHash("sha256").update(Buffer.concat(parts)).digest();
}

function inclusion(at: number, leaves: readonly Buffer[]): readonly Buffer[] {
  if (leaves.length <= 1) return [];
  const left = split(leaves.length);
  return at < left
    ? [...inclusion(at, leaves.slice(0, left)), rootOf(leaves.slice(left))]
    : [...inclusion(at - left, leaves.slice(left)), rootOf(leaves.slice(0, left))];
}

function consistency(size: number, leaves: readonly Buffer[], isWhole: boolean): readonly Buffer[] {
  if (size === leaves.length) return isWhole ? [] : [rootOf(leaves)];
  const left = split(leaves.length);
  return size <= left
    ? [...consistency(size, leaves.slice(0, left), isWhole), rootOf(leaves.slice(left))]
    : [...consistency(size - left, leaves.slice(left), false), rootOf(leaves.slice(0, left))];
}

function split(count: number): number {
  return 2 ** Math.floor(Math.log2(count - 1));
}

function makeKey(name: string): {
  readonly name: string;
  readonly text: string;
  readonly id: Buffer;
  readonly key: KeyObject;
} {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const bytes = Buffer.concat([Buffer.of(1), Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url")]);
  const id = createHash("sha256").update(`${name}\n`).update(bytes).digest().subarray(0, 4);
  return { name, id, key: privateKey, text: `${name}+${id.toString("hex")}+${bytes.toString("base64")}` };
}

function noteOf(key: ReturnType<typeof makeKey>, size: number, root: string): string {
  const text = `${key.name}\n${size}\n${b64(root)}\n`;
  const signature = Buffer.concat([key.id, sign(null, Buffer.from(text), key.key)]);
  return `${text}\n— ${key.name} ${signature.toString("base64")}\n`;
}

function withEvent(proof: Proof, change: Partial<Proof["event"]>): Proof {
  return { ...proof, event: { ...proof.event, ...change } };
}

function rehashed(proof: Proof, header: string): Proof {
  const hash = createHash("sha256").update(Buffer.from(proof.event.prev, "hex")).update(header).digest("hex");
  return withEvent(proof, { header, hash });
}

function b64(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64");
}

function flipped(bytes: Buffer): Buffer {
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  return bytes;
}

function flippedHex(text: string): string {
  return flipped(Buffer.from(text, "hex")).toString("hex");
}

function flippedBase64(text: string): string {
  return flipped(Buffer.from(text, "base64")).toString("base64");
}

function flippedSignature(note: string): string {
  return note.replace(/(\S+)\n$/, (_all, encoded: string) => `${flippedBase64(encoded)}\n`);
}
