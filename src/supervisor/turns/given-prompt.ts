import type { Keeper } from "../../commit/index.ts";
import { type Attachment, LIMITS, type TextOrBlob } from "../../kernel/index.ts";
import { keepWhole, storeText } from "../../turns/index.ts";

/** A prompt as the caller gives it. */
export interface GivenPrompt {
  readonly prompt: string;
  readonly attachments?: readonly GivenAttachment[] | undefined;
}

/** An attachment as the caller gives it. */
export interface GivenAttachment {
  readonly kind: Attachment["kind"];
  readonly name: string;
  readonly mediaType: string;
  readonly uri: string | null;
  /** Null for a link. */
  readonly bytes: Uint8Array | null;
}

/** Whether part of the prompt is stored in blobs. */
export function isKept({ prompt, attachments = [] }: GivenPrompt): boolean {
  return attachments.length > 0 || Buffer.byteLength(prompt) > LIMITS.promptInlineBytes;
}

/** Stores large parts as blobs before the event that names them. */
export async function keepPrompt(
  keeper: Keeper,
  { prompt, attachments = [] }: GivenPrompt,
): Promise<{ readonly prompt: TextOrBlob; readonly items: readonly Attachment[] }> {
  const kept = await storeText(keeper, prompt, LIMITS.promptInlineBytes);
  return { prompt: kept, items: await Promise.all(attachments.map((given) => keepAttachment(keeper, given))) };
}

async function keepAttachment(keeper: Keeper, { bytes, ...rest }: GivenAttachment): Promise<Attachment> {
  return { ...rest, ...(bytes === null ? { blob: null, bytes: 0 } : await keepWhole(keeper, bytes)) };
}
