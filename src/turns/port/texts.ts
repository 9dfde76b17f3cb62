import { NomosError } from "../../contract/index.ts";
import { LIMITS, type TextOrBlob } from "../../kernel/index.ts";
import { type Store, StoreError } from "../../store/index.ts";
import type { Keeper } from "../recorder.ts";

/**
 * Small text is kept in the event; large text becomes a blob, with its beginning in the event. When space is short only
 * the beginning is kept, and marked so.
 */
export async function storeText(
  keeper: Keeper,
  given: string,
  inlineBytes: number = LIMITS.messageInlineBytes,
): Promise<TextOrBlob> {
  const text = keeper.redact(given);
  const bytes = Buffer.from(text);
  if (bytes.length <= inlineBytes) return { text, blob: null, bytes: bytes.length };
  if (keeper.isTight()) return { text: `${beginning(bytes)}${CUT}`, blob: null, bytes: bytes.length };
  return { text: beginning(bytes), ...(await keeper.put(bytes)) };
}

/** Text that must not be cut is refused when space is short. */
export async function keepWhole(keeper: Keeper, bytes: Uint8Array): ReturnType<Keeper["put"]> {
  if (keeper.isTight()) throw new NomosError("disk_low", { bytes: bytes.length });
  return keeper.put(bytes);
}

export async function loadText(store: Store, stored: TextOrBlob): Promise<string> {
  if (stored.blob === null) return stored.text;
  const bytes = await store.blob(stored.blob);
  if (bytes === null) throw new StoreError("blob_missing", { blob: stored.blob });
  return Buffer.from(bytes).toString("utf8");
}

/** Maximum size of one output event or its blob. */
const PIECE_CHARS_MAX = 524_288;

/** Cuts between characters, never inside one. */
export function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const last = text.charCodeAt(from + PIECE_CHARS_MAX - 1);
    const isSplit = last >= 0xd800 && last <= 0xdbff;
    const to = from + PIECE_CHARS_MAX - (isSplit ? 1 : 0);
    yield text.slice(from, to);
    from = to;
  }
}

const PREVIEW_BYTES = 1024;
const CUT = "\n[the rest was not kept: the disk is almost full]";

/** Cuts between characters, never inside one. */
function beginning(bytes: Buffer): string {
  return new TextDecoder("utf-8").decode(bytes.subarray(0, PREVIEW_BYTES), { stream: true });
}
