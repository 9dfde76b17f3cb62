import { LIMITS, type TextOrBlob } from "../kernel/index.ts";
import { type Store, StoreError } from "../store/index.ts";

/** Small text stands in the event; large text becomes a blob with its beginning left to read. */
export async function storeText(
  store: Store,
  text: string,
  inlineBytes: number = LIMITS.messageInlineBytes,
): Promise<TextOrBlob> {
  const bytes = Buffer.from(text);
  if (bytes.length <= inlineBytes) return { text, blob: null, bytes: bytes.length };
  const blob = await store.putBlob(bytes);
  return { text: beginning(bytes), blob, bytes: bytes.length };
}

export async function loadText(store: Store, stored: TextOrBlob): Promise<string> {
  if (stored.blob === null) return stored.text;
  const bytes = await store.blob(stored.blob);
  if (bytes === null) throw new StoreError("blob_missing", { blob: stored.blob });
  return Buffer.from(bytes).toString("utf8");
}

const PREVIEW_BYTES = 1024;

/** Cut at a character, not inside one. */
function beginning(bytes: Buffer): string {
  return new TextDecoder("utf-8").decode(bytes.subarray(0, PREVIEW_BYTES), { stream: true });
}
