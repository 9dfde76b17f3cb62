import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Json } from "../../src/kernel/index.ts";

/**
 * Bundles made by hand from docs/reference/log-format.md with only sha256 and Ed25519, so that the verifier is tested
 * against the page, not against our own writer.
 */
export interface Draft {
  readonly stream: string;
  readonly type: string;
  readonly data: Json;
  readonly blobs?: readonly string[];
  /** For a fork: the line that it continues. */
  readonly from?: number;
  readonly erased?: boolean;
}

export interface Line {
  seq: number;
  prev: string;
  header: string;
  hash: string;
  salt: string | null;
  data: string | null;
  blobs?: readonly string[];
}

export interface LogSigner {
  readonly name: string;
  readonly vkey: string;
  readonly sign: (text: string) => string;
}

export interface Bundle {
  lines: Line[];
  blobs: Map<string, Buffer>;
  checkpoint: string;
  key: string;
  /** If given, it is written instead of the lines. */
  raw?: string | Buffer;
}

export const ZEROS = "00".repeat(32);

export function sha256(...parts: readonly (Buffer | string)[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

export function newSigner(name = `nomos/${randomBytes(4).toString("hex")}`): LogSigner {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const bytes = Buffer.concat([Buffer.from([1]), rawKey(publicKey)]);
  const keyId = sha256(`${name}\n`, bytes).subarray(0, 4);
  return {
    name,
    vkey: `${name}+${keyId.toString("hex")}+${bytes.toString("base64")}`,
    sign: (text) =>
      `${text}\n— ${name} ${Buffer.concat([keyId, sign(null, Buffer.from(text), privateKey)]).toString("base64")}\n`,
  };
}

export function rawKey(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
}

export function checkpointOf(lines: readonly { readonly hash: string }[], signer: LogSigner): string {
  const root = rootOf(lines.map(({ hash }) => sha256(Buffer.from([0]), Buffer.from(hash, "hex"))));
  return signer.sign(`${signer.name}\n${lines.length}\n${root.toString("base64")}\n`);
}

/** RFC 6962, by its recursive definition. */
export function rootOf(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (only === undefined || leaves.length === 1) return only ?? sha256();
  const split = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return sha256(Buffer.from([1]), rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

export function linesOf(drafts: readonly Draft[]): Line[] {
  const lines: Line[] = [];
  const heads = new Map<string, { readonly version: number; readonly hash: string }>();
  for (const [at, draft] of drafts.entries()) {
    const before = heads.get(draft.stream);
    const version = (before?.version ?? 0) + 1;
    const prev = draft.from === undefined ? (before?.hash ?? ZEROS) : (lines[draft.from]?.hash ?? ZEROS);
    const line = lineOf(draft, { seq: at + 1, version, prev, id: idOf(at) });
    lines.push(line);
    heads.set(draft.stream, { version, hash: line.hash });
  }
  return lines;
}

export function lineOf(
  { stream, type, data, blobs, erased }: Draft,
  {
    seq,
    version,
    prev,
    id,
  }: { readonly seq: number; readonly version: number; readonly prev: string; readonly id: string },
): Line {
  const salt = sha256(`salt ${id}`).subarray(0, 16);
  const bytes = Buffer.from(JSON.stringify(data));
  const dataHash = sha256(salt, bytes).toString("hex");
  const header = `{"actor":"operator","at":"2026-11-15T08:30:00.048Z","cause":null,"dataHash":"${dataHash}","id":"${id}","stream":${JSON.stringify(stream)},"type":"${type}","version":${version}}`;
  const hash = sha256(Buffer.from(prev, "hex"), header).toString("hex");
  if (erased === true) return { seq, prev, header, hash, salt: null, data: null };
  const rest = { seq, prev, header, hash, salt: salt.toString("hex"), data: bytes.toString("base64") };
  return blobs === undefined ? rest : { ...rest, blobs };
}

export function idOf(n: number): string {
  return `0197b3c1-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
}

export async function writeFolder(bundle: Bundle, folder: string): Promise<string> {
  await mkdir(join(folder, "blobs"), { recursive: true });
  for (const [name, bytes] of filesOf(bundle)) await writeFile(join(folder, name), bytes);
  return folder;
}

/** In the order in which `tar` finds the files of a folder, each below the folder's name. */
export async function writeTar(bundle: Bundle, path: string, prefix = ""): Promise<string> {
  const parts = filesOf(bundle).flatMap(([name, bytes]) => [
    tarHeader(prefix + name, bytes.length),
    bytes,
    Buffer.alloc((512 - (bytes.length % 512)) % 512),
  ]);
  await writeFile(path, Buffer.concat([...parts, Buffer.alloc(1024)]));
  return path;
}

function filesOf({ lines, blobs, checkpoint, key, raw }: Bundle): readonly (readonly [string, Buffer])[] {
  const events = raw ?? lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  return [
    ...[...blobs].map(([sha, bytes]) => [`blobs/${sha}`, bytes] as const),
    ["checkpoint", Buffer.from(checkpoint)],
    ["events.jsonl", Buffer.from(events)],
    ["key.pub", Buffer.from(`${key}\n`)],
  ];
}

function tarHeader(name: string, size: number): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write("0000600\0", 100);
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write("        0", 148);
  block.write("ustar\u000000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
