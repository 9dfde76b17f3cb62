import type { OutputOf } from "../../../src/client/index.ts";
import { areSame, fromBase64, fromHex, fromText, sha256, toHex } from "./bytes.ts";
import { leafOf, rootOfPath } from "./merkle.ts";
import { type Checkpoint, isSignedBy, parseCheckpoint, parseKey, type Signed } from "./signed-note.ts";

type Proof = OutputOf<"audit.proof">;

export interface Step {
  readonly name: string;
  /** `unknown`: it could not be checked, so nothing is proved. */
  readonly is: "good" | "bad" | "unknown";
  readonly says: string;
}

export interface Verdict {
  readonly is: Step["is"];
  readonly steps: readonly Step[];
  /** Out of the bytes that were hashed, not out of another answer; null when it is erased or no JSON. */
  readonly header: Header | null;
  readonly dataText: string | null;
  readonly checkpoint: Checkpoint | null;
}

export interface Header {
  readonly actor: string;
  readonly at: string;
  readonly cause: string | null;
  readonly dataHash: string;
  readonly id: string;
  readonly stream: string;
  readonly type: string;
  readonly version: number;
}

/** Checks a proof with the browser's own sha256 and Ed25519. Nothing that the daemon computed is taken for true. */
export async function verifyEvent(eventId: string, proof: Proof, key: string): Promise<Verdict> {
  const { header, step: headerStep } = readHeader(proof.event.header, eventId);
  const data = await checkData(proof.event, header);
  const hash = await hashOf(proof.event);
  const checkpoint = parseCheckpoint(proof.checkpoint);
  const steps = [
    headerStep,
    data.step,
    hashStep(hash, proof.event.hash),
    await pathStep(hash, proof, checkpoint),
    await signatureStep(checkpoint, key),
  ];
  return { is: worst(steps), steps, header, dataText: data.text, checkpoint };
}

/** One step that fails is a proof that fails. */
export function worst(steps: readonly Step[]): Step["is"] {
  if (steps.some(({ is }) => is === "bad")) return "bad";
  return steps.some(({ is }) => is === "unknown") ? "unknown" : "good";
}

const MEMBERS = ["actor", "at", "cause", "dataHash", "id", "stream", "type", "version"] as const;

function readHeader(text: string, eventId: string): { readonly header: Header | null; readonly step: Step } {
  const name = "The header is this event's";
  const bad = (says: string) => ({ header: null, step: { name, is: "bad" as const, says } });
  const read = parsed(text);
  if (typeof read !== "object" || read === null) return bad("The header is no JSON object.");
  if (Object.keys(read).join() !== MEMBERS.join()) return bad("The header does not have exactly the eight members.");
  const header = read as Header;
  if (JSON.stringify(header) !== text) return bad("The header is not written in its canonical form.");
  if (header.id !== eventId) return bad(`It is the header of another event, ${header.id}.`);
  const says = `${header.type}, number ${header.version} of ${header.stream}, by ${header.actor}.`;
  return { header, step: { name, is: "good", says } };
}

async function checkData(
  { salt, data }: Proof["event"],
  header: Header | null,
): Promise<{ readonly step: Step; readonly text: string | null }> {
  const name = "The data is what the header names";
  const step = (is: Step["is"], says: string, text: string | null = null) => ({ step: { name, is, says }, text });
  if (salt === null && data === null)
    return step(
      "good",
      "The data was erased. The header with its hash stays, so the proof still holds for the header.",
    );
  const [saltBytes, bytes] = [fromHex(salt ?? "-"), fromBase64(data ?? "-")];
  if (saltBytes?.length !== 16 || bytes === null) return step("bad", "Salt or data is missing or not readable.");
  const found = toHex(await sha256(saltBytes, bytes));
  if (found !== header?.dataHash)
    return step("bad", `sha256 of salt and data is ${short(found)}, the header names another.`);
  const text = new TextDecoder().decode(bytes);
  return step(
    "good",
    `sha256 over the salt and ${bytes.length} bytes of data is ${short(found)}, as the header says.`,
    text,
  );
}

async function hashOf({ prev, header }: Proof["event"]): Promise<Uint8Array | null> {
  const before = fromHex(prev);
  return before?.length === 32 ? sha256(before, fromText(header)) : null;
}

function hashStep(hash: Uint8Array | null, named: string): Step {
  const name = "The hash is computed from the header";
  if (hash === null) return { name, is: "bad", says: "The hash of the event before it is not readable." };
  const found = toHex(hash);
  return found === named
    ? { name, is: "good", says: `sha256 over the hash before it and the header is ${short(found)}.` }
    : { name, is: "bad", says: `sha256 gives ${short(found)}, the daemon names ${short(named)}.` };
}

async function pathStep(hash: Uint8Array | null, proof: Proof, checkpoint: Checkpoint | null): Promise<Step> {
  const name = "The log's root contains the event";
  const bad = (says: string): Step => ({ name, is: "bad", says });
  if (checkpoint === null) return bad("The checkpoint is not a signed note.");
  const path = proof.hashes.map(fromHex);
  if (hash === null || !path.every((part) => part?.length === 32)) return bad("The path has a hash that is none.");
  const whole = path.filter((part) => part !== null);
  // The checkpoint's own size: the one beside it is only said.
  const root = await rootOfPath(await leafOf(hash), proof.leafIndex, checkpoint.size, whole);
  if (root === null) return bad(`The path does not fit leaf ${proof.leafIndex} of ${checkpoint.size}.`);
  if (!areSame(root, checkpoint.root)) return bad("The path leads to another root than the checkpoint's.");
  if (proof.size !== checkpoint.size || proof.root !== toHex(root))
    return bad("The answer and its checkpoint disagree.");
  if (proof.leafIndex !== proof.seq - 1) return bad(`The leaf is ${proof.leafIndex}, not that of event ${proof.seq}.`);
  const hops = `${whole.length} ${whole.length === 1 ? "hash" : "hashes"}`;
  const says = `Event ${proof.seq} of ${checkpoint.size}: leaf and ${hops} lead to the root ${short(toHex(root))} of the checkpoint.`;
  return { name, is: "good", says };
}

const SAID: { readonly [is in Signed]: (id: string) => string } = {
  yes: (id) => `The Ed25519 signature is that of the key ${id}.`,
  unsigned: (id) => `The checkpoint is not signed by the key ${id}.`,
  forged: (id) => `The signature is not that of the key ${id}.`,
  "other log": () => "The checkpoint is one of another log than the key's.",
  unable: () => "This browser has no Ed25519. Use a newer one, or `nomos-verify` on an export.",
};

export async function signatureStep(checkpoint: Checkpoint | null, keyText: string): Promise<Step> {
  const name = "The log's key signed the root";
  const key = await parseKey(keyText);
  if (key === null) return { name, is: "bad", says: "The key is no verifier key, or its id is not its own." };
  if (checkpoint === null) return { name, is: "bad", says: "The checkpoint is not a signed note." };
  const signed = await isSignedBy(checkpoint, key);
  const is = signed === "yes" ? "good" : signed === "unable" ? "unknown" : "bad";
  return { name, is, says: SAID[signed](`${key.name}+${key.id}`) };
}

/** Null when it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function short(hash: string): string {
  return hash.length > 20 ? `${hash.slice(0, 8)}…${hash.slice(-8)}` : hash;
}
