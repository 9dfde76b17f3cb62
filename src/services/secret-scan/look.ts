import type { FoundSecret } from "../../domains/index.ts";
import type { Finding, Redactor } from "../../redaction/index.ts";
import type { Breathe } from "./breath.ts";
import { createByteLook, PIECE_BYTES } from "./byte-look.ts";

/** What was found, each secret once. `unread` names a packing that hides what is in it. */
export interface Seen {
  readonly found: readonly FoundSecret[];
  readonly unread: string | null;
  readonly bytes: number;
}

/** Looks for secrets with the same eyes as the doors of the log. */
export interface Look {
  /** Every string of JSON data, names of members too. */
  readonly data: (value: unknown) => readonly FoundSecret[];
  readonly bytes: (bytes: Uint8Array) => Promise<Seen>;
  readonly chunks: (chunks: AsyncIterable<Uint8Array>) => Promise<Seen>;
  readonly breathe: Breathe;
}

export function createLook(redactor: Pick<Redactor, "find" | "look">, breathe: Breathe): Look {
  const chunks: Look["chunks"] = async (given) => {
    const look = createByteLook(redactor);
    const counts = new Map<string, FoundSecret>();
    let bytes = 0;
    for await (const chunk of given) {
      bytes += chunk.length;
      add(counts, look.push(chunk));
      await breathe();
    }
    const { findings, unread } = look.end();
    add(counts, findings);
    return { found: [...counts.values()], unread, bytes };
  };
  return {
    breathe,
    chunks,
    bytes: (bytes) => chunks(piecesOf(bytes)),
    data: (value) => {
      const counts = new Map<string, FoundSecret>();
      forEachText(value, (text) => add(counts, redactor.find(text)));
      return [...counts.values()];
    },
  };
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

function add(counts: Map<string, FoundSecret>, findings: readonly (Finding | FoundSecret)[]): void {
  for (const { kind, fingerprint, ...rest } of findings) {
    const key = keyOf({ kind, fingerprint });
    const more = "count" in rest ? rest.count : 1;
    counts.set(key, { kind, fingerprint, count: (counts.get(key)?.count ?? 0) + more });
  }
}

/** Both lists as one. */
export function together(one: readonly FoundSecret[], other: readonly FoundSecret[]): readonly FoundSecret[] {
  if (other.length === 0) return one;
  const counts = new Map<string, FoundSecret>();
  add(counts, one);
  add(counts, other);
  return [...counts.values()];
}

export function keyOf({ kind, fingerprint }: Pick<FoundSecret, "kind" | "fingerprint">): string {
  return `${kind}:${fingerprint}`;
}

function forEachText(value: unknown, take: (text: string) => void): void {
  if (typeof value === "string") take(value);
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) for (const item of value) forEachText(item, take);
  else
    for (const [name, member] of Object.entries(value)) {
      take(name);
      forEachText(member, take);
    }
}
