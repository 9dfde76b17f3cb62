import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { areSame, fromBase64 } from "./bytes.ts";
import { isPrefix, rootOfPath } from "./merkle.ts";

interface Vector {
  readonly name: string;
  readonly kind: "inclusion" | "consistency";
  readonly wantErr: boolean;
  readonly proof: readonly string[] | null;
  readonly [member: string]: unknown;
}

const VECTORS: readonly Vector[] = readFileSync(new URL("../../../test/vectors/rfc6962.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const bytes = (text: unknown): Uint8Array => fromBase64(String(text)) ?? new Uint8Array();
const ofKind = (kind: Vector["kind"]): readonly Vector[] => VECTORS.filter((vector) => vector.kind === kind);

test.each(ofKind("inclusion"))("an inclusion proof of the RFC 6962 vectors: $name", async (vector) => {
  const path = (vector.proof ?? []).map(bytes);
  const [index, size] = [Number(vector["leafIdx"]), Number(vector["treeSize"])];
  const root = await rootOfPath(bytes(vector["leafHash"]), index, size, path);
  expect(root !== null && areSame(root, bytes(vector["root"]))).toBe(!vector.wantErr);
});

test.each(ofKind("consistency"))("a consistency proof of the RFC 6962 vectors: $name", async (vector) => {
  const older = { size: Number(vector["size1"]), root: bytes(vector["root1"]) };
  const newer = { size: Number(vector["size2"]), root: bytes(vector["root2"]) };
  expect(await isPrefix(older, newer, (vector.proof ?? []).map(bytes))).toBe(!vector.wantErr);
});
