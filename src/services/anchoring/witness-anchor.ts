import { readFile } from "node:fs/promises";
import { writeFileAtomic } from "../../host/index.ts";
import {
  COSIGNATURE,
  isSignedBy,
  type NoteSignature,
  parseCheckpoint,
  parseSignatures,
  parseVerifierKey,
  type SignedCheckpoint,
  type VerifierKey,
} from "../../store/index.ts";
import { type Anchor, type AnchoredLog, anchorDisagrees, anchorFailed, type Finding, KNOWS_NOTHING } from "./anchor.ts";

export interface WitnessOptions {
  readonly url: string;
  /** The witness's verifier key, of type 4 (C2SP tlog-cosignature). */
  readonly key: string;
  /** The file for the last checkpoint that it cosigned. */
  readonly keptAt: string;
}

const ANSWER_MAX_MS = 10_000;
const ANSWER_BYTES_MAX = 65_536;
/** Largest allowed difference between our clock and the witness's. */
const COSIGNED_AGO_MAX_MS = 3_600_000;

/** A witness (C2SP tlog-witness) cosigns a checkpoint only if it continues the last one that it cosigned. */
export function createWitnessAnchor({ url: given, key: keyText, keptAt }: WitnessOptions, log: AnchoredLog): Anchor {
  const { url, login } = withoutLogin(given);
  const key = parseVerifierKey(keyText);
  let known: number | null = null;

  const submit = async (checkpoint: SignedCheckpoint, witness: VerifierKey, signal: AbortSignal): Promise<void> => {
    known ??= await keptSize(keptAt, witness);
    if (known > checkpoint.size) throw ahead(known, checkpoint.size);
    let answer = await send(known, checkpoint, signal);
    if (answer.status === 409) {
      known = sizeIn(answer.text);
      if (known > checkpoint.size) throw ahead(known, checkpoint.size);
      answer = await send(known, checkpoint, signal);
    }
    if (answer.status === 422)
      throw anchorDisagrees("the witness says that this log does not continue what it saw", { url, size: known });
    if (answer.status !== 200) throw refused(answer);
    expectCosigned(checkpoint, witness, answer.text);
    await writeFileAtomic(keptAt, checkpoint.note + answer.text, { mode: 0o600 });
    known = checkpoint.size;
  };

  const send = async (old: number, checkpoint: SignedCheckpoint, signal: AbortSignal): Promise<Answer> => {
    const proof = old === 0 ? [] : await log.tree.consistency(old, checkpoint.size);
    const lines = proof.map((hash) => `${Buffer.from(hash).toString("base64")}\n`).join("");
    const body = `old ${old}\n${lines}\n${checkpoint.note}`;
    return post(`${url.replace(/\/+$/, "")}/add-checkpoint`, login, body, signal);
  };

  /** Accepts an answer only if it is exactly the witness's signature of this checkpoint. */
  const expectCosigned = ({ note }: SignedCheckpoint, witness: VerifierKey, lines: string): NoteSignature => {
    const own = (parseSignatures(lines) ?? []).filter(
      ({ name, keyId }) => name === witness.name && keyId === witness.keyId,
    );
    const cosigned = own.length === 0 ? null : parseCheckpoint(note + lines);
    const [signature] = own;
    if (signature === undefined || cosigned === null || !isSignedBy(cosigned, witness))
      throw anchorFailed("the witness's answer is no signature of its key", { url, key: witness.text });
    return signature;
  };
  const refused = ({ status, text }: Answer) =>
    anchorFailed("the witness refused", { url, status, reason: text.slice(0, 200) });

  /**
   * The protocol has no query, only a submission that names the last size the witness saw. For a wrong size the witness
   * answers with the right one; then the proof shows whether this log continues it.
   */
  const compare = async (checkpoint: SignedCheckpoint, witness: VerifierKey, signal: AbortSignal): Promise<Finding> => {
    const { size } = checkpoint;
    let [seen, answer] = [size, await send(size, checkpoint, signal)];
    if (answer.status === 409) {
      seen = sizeIn(answer.text);
      if (seen === 0) return KNOWS_NOTHING;
      if (seen > size) return { verdict: "newer", size: seen, root: null };
      if (seen < size) answer = await send(seen, checkpoint, signal);
    }
    if (answer.status === 409 || answer.status === 422) return { verdict: "contradicts", size: seen, root: null };
    if (answer.status !== 200) throw refused(answer);
    const { signature } = expectCosigned(checkpoint, witness, answer.text);
    // Without this check an attacker in between could replay the witness's answer from when the backup was new.
    const ageMs = Date.now() - Number(Buffer.from(signature).readBigUInt64BE()) * 1000;
    if (Math.abs(ageMs) > COSIGNED_AGO_MAX_MS)
      throw anchorFailed("the witness's signature is not of now", { url, ageMs });
    return { verdict: "agrees", size: seen, root: null };
  };
  const witnessKey = (): VerifierKey => {
    if (key === null || key.type !== COSIGNATURE)
      throw anchorFailed("the configured key is no witness's verifier key", { url });
    return key;
  };
  const ahead = (theirs: number, ours: number) =>
    anchorDisagrees("the witness has seen more of this log than there is", { url, witnessSize: theirs, size: ours });

  return {
    kind: "witness",
    where: url,
    put: async (checkpoint, signal) => submit(checkpoint, witnessKey(), signal),
    ask: async (checkpoint, signal) => compare(checkpoint, witnessKey(), signal),
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The URL without user and password, because it appears in answers and in the daemon's log. */
function withoutLogin(given: string): { readonly url: string; readonly login: Readonly<Record<string, string>> } {
  const url = new URL(given);
  const { username, password } = url;
  if (username === "" && password === "") return { url: given, login: {} };
  const words = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  url.username = "";
  url.password = "";
  return { url: url.href, login: { authorization: `Basic ${words}` } };
}

async function post(
  url: string,
  login: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: { "content-type": "text/plain", ...login },
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MAX_MS)]),
    });
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of response.body ?? []) {
      parts.push(part);
      bytes += part.length;
      if (bytes > ANSWER_BYTES_MAX) throw anchorFailed("the witness answers without end", { url });
    }
    return { status: response.status, text: Buffer.concat(parts).toString("utf8") };
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw anchorFailed("the witness cannot be reached", { url, reason: String(cause) }, cause);
  }
}

/** The size of the last checkpoint that it cosigned; 0 when none was kept: then the witness names the size. */
async function keptSize(path: string, witness: VerifierKey): Promise<number> {
  const note = await readFile(path, "utf8").catch(() => "");
  const kept = parseCheckpoint(note);
  return kept !== null && isSignedBy(kept, witness) ? kept.size : 0;
}

function sizeIn(text: string): number {
  const [size] = /^\d{1,15}(?=\n$)/.exec(text) ?? [];
  if (size === undefined)
    throw anchorFailed("the witness's answer about its size is none", { answer: text.slice(0, 80) });
  return Number(size);
}
