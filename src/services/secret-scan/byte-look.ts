import type { Finding, Redactor, Unread } from "../../redaction/index.ts";

/** Looks through bytes of any length in pieces, so that nobody waits for a long file. */
export interface ByteLook {
  readonly push: (bytes: Uint8Array) => readonly Finding[];
  readonly end: () => { readonly findings: readonly Finding[]; readonly unread: Unread };
}

/** What one look takes in. */
export const PIECE_BYTES = 524_288;
/**
 * The end of a piece is looked at again with the next one: a secret may be cut there. Room for the largest value in base64,
 * hex or URL-encoded; of a longer one the beginning is enough to be found.
 */
const OVERLAP_BYTES = 262_144;
/** What stands before a secret decides whether a shape begins there. */
const CONTEXT_BYTES = 128;

export function createByteLook(redactor: Pick<Redactor, "look">): ByteLook {
  let held: Uint8Array = new Uint8Array();
  /** Findings before this place in `held` were told already. */
  let told = 0;
  let beginning: { readonly unread: Unread } | null = null;

  const look = (bytes: Uint8Array, upTo: number): readonly Finding[] => {
    const seen = redactor.look(bytes);
    // Only the beginning of a file says how it is packed.
    beginning ??= { unread: seen.unread };
    return seen.findings.filter(({ at }) => at >= told && at < upTo);
  };

  return {
    push: (bytes) => {
      held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      if (held.length < PIECE_BYTES + OVERLAP_BYTES) return [];
      const end = held.length - OVERLAP_BYTES;
      const found = look(held, end);
      const last = found.at(-1);
      const next = Math.min(held.length, Math.max(end, last === undefined ? 0 : last.at + last.length));
      const from = Math.max(0, next - CONTEXT_BYTES);
      held = held.subarray(from);
      told = next - from;
      return found;
    },
    end: () => {
      const findings = look(held, Number.POSITIVE_INFINITY);
      return { findings, unread: beginning?.unread ?? null };
    },
  };
}
