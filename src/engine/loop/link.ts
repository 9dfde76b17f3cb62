import type { Json, TextOrBlob } from "../../kernel/index.ts";
import type { EngineCall } from "../link/protocol.ts";

/** The engine's way to the daemon in one turn. A refused call throws a `CallError`. */
export interface Link {
  readonly call: (call: EngineCall) => Promise<Json>;
  /** Text on its way to watchers. */
  readonly stream: (text: string, of: "message" | "thought") => void;
  readonly signal: AbortSignal;
}

export class CallError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The answers of the daemon are ours, so their shape is known. */
export async function asked<T>(link: Link, call: EngineCall): Promise<T> {
  return (await link.call(call)) as unknown as T;
}

export function keepText(link: Link, text: string): Promise<TextOrBlob> | TextOrBlob {
  const bytes = Buffer.byteLength(text);
  return bytes <= INLINE_BYTES ? { text, blob: null, bytes } : asked<TextOrBlob>(link, { do: "keep", text });
}

/** As `messageInlineBytes`: a longer text goes to a blob, which only the daemon can write. */
const INLINE_BYTES = 16_384;
