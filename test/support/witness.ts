import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { rawKey, sha256 } from "./bundles.ts";

/**
 * A small witness in memory, after C2SP tlog-witness. It verifies consistency proofs by the recursion of RFC 6962 and
 * shares no code with the program that makes them.
 */
export interface Witness extends AsyncDisposable {
  readonly url: string;
  readonly vkey: string;
  /** The last checkpoint it saw, by origin. */
  readonly seen: Map<string, { size: number; root: Buffer }>;
  /** Received bodies, the newest last. */
  readonly requests: string[];
  /** How it misbehaves, for as long as it stands there. */
  behaviour: "good" | "down" | "wrong-signature" | "nonsense" | "endless" | "replay";
}

export async function startWitness(logKey: string, name = "witness.example/w1"): Promise<Witness> {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const bytes = Buffer.concat([Buffer.from([4]), rawKey(publicKey)]);
  const keyId = sha256(`${name}\n`, bytes).subarray(0, 4);
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(request);
    const type = status === 409 ? "text/x.tlog.size" : "text/plain";
    response.writeHead(status, { "content-type": type }).end(body);
  });
  let cosigned: { status: number; body: string } | null = null;
  const answer = async (request: IncomingMessage): Promise<{ status: number; body: string }> => {
    const sent = await text(request);
    witness.requests.push(sent);
    if (request.url !== "/add-checkpoint" || request.method !== "POST") return { status: 404, body: "" };
    if (witness.behaviour === "down") return { status: 500, body: "not today" };
    if (witness.behaviour === "nonsense") return { status: 200, body: "— nobody AAAA\n" };
    if (witness.behaviour === "endless") return { status: 200, body: "x".repeat(1_000_000) };
    if (witness.behaviour === "replay" && cosigned !== null) return cosigned;
    const judged = judge(sent);
    if (judged.status === 200) cosigned = judged;
    return judged;
  };
  const judge = (sent: string): { status: number; body: string } => {
    const [head = "", ...rest] = sent.split("\n\n");
    const note = rest.join("\n\n");
    const [, oldText = ""] = /^old (\d+)/.exec(head) ?? [];
    const old = Number(oldText);
    const proof = head
      .split("\n")
      .slice(1)
      .map((line) => Buffer.from(line, "base64"));
    const [origin = "", sizeText = "", rootText = ""] = note.split("\n");
    if (origin !== logKey.split("+")[0]) return { status: 404, body: "" };
    if (!isSigned(note, logKey)) return { status: 403, body: "" };
    const size = Number(sizeText);
    const root = Buffer.from(rootText, "base64");
    const known = witness.seen.get(origin) ?? { size: 0, root: sha256() };
    if (old > size) return { status: 400, body: "" };
    if (old !== known.size) return { status: 409, body: `${known.size}\n` };
    const continues = old === 0 ? proof.length === 0 : isContinued(known, { size, root }, proof);
    if (!continues) return { status: 422, body: "" };
    witness.seen.set(origin, { size, root });
    const time = Buffer.alloc(8);
    const seconds = BigInt(Math.floor(Date.now() / 1000));
    time.writeBigUInt64BE(seconds);
    const message = `cosignature/v1\ntime ${seconds}\n${note.split("\n\n")[0]}\n`;
    const signature = sign(null, Buffer.from(witness.behaviour === "wrong-signature" ? "" : message), privateKey);
    return { status: 200, body: `— ${name} ${Buffer.concat([keyId, time, signature]).toString("base64")}\n` };
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const witness: Witness = {
    url: `http://127.0.0.1:${port}`,
    vkey: `${name}+${keyId.toString("hex")}+${bytes.toString("base64")}`,
    seen: new Map(),
    requests: [],
    behaviour: "good",
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return witness;
}

function isSigned(note: string, logKey: string): boolean {
  const [body, lines = ""] = note.split("\n\n");
  const [, name, encoded = ""] = /^([^+]+)\+[0-9a-f]+\+(.+)$/.exec(logKey) ?? [];
  const key: KeyObject = publicKeyOf(Buffer.from(encoded, "base64").subarray(1));
  return lines.split("\n").some((line) => {
    const [, signer, signature = ""] = line.split(" ");
    const bytes = Buffer.from(signature, "base64").subarray(4);
    return signer === name && verify(null, Buffer.from(`${body}\n`), key, bytes);
  });
}

function publicKeyOf(raw: Buffer): KeyObject {
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") }, format: "jwk" });
}

interface Head {
  readonly size: number;
  readonly root: Buffer;
}

/** RFC 6962, 2.1.2, in reverse: rebuilds both roots from the proof. */
function isContinued(older: Head, newer: Head, proof: readonly Buffer[]): boolean {
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  const rest = [...proof];
  const both = (size: number, of: number, isWhole: boolean): readonly [Buffer, Buffer] => {
    if (size === of) {
      const hash = isWhole ? older.root : (rest.shift() ?? Buffer.alloc(0));
      return [hash, hash];
    }
    const split = 2 ** Math.floor(Math.log2(of - 1));
    if (size <= split) {
      const [first, second] = both(size, split, isWhole);
      return [first, node(second, rest.shift())];
    }
    const [first, second] = both(size - split, of - split, false);
    const left = rest.shift();
    return [node(left, first), node(left, second)];
  };
  const [first, second] = both(older.size, newer.size, true);
  return rest.length === 0 && first.equals(older.root) && second.equals(newer.root);
}

function node(left: Buffer = Buffer.alloc(0), right: Buffer = Buffer.alloc(0)): Buffer {
  return sha256(Buffer.from([1]), left, right);
}
