import type { Keeper } from "../../commit/index.ts";
import { type Attachment, LIMITS, type TextOrBlob } from "../../kernel/index.ts";
import { keepWhole, storeText } from "../../turns/index.ts";

/** A prompt as somebody gives it. */
export interface GivenPrompt {
  readonly prompt: string;
  readonly attachments?: readonly GivenAttachment[] | undefined;
}

/** What a person adds to a prompt, as it arrives. */
export interface GivenAttachment {
  readonly kind: Attachment["kind"];
  readonly name: string;
  readonly mediaType: string;
  readonly uri: string | null;
  /** Null for a link. */
  readonly bytes: Uint8Array | null;
}

/** Something of it is kept outside of the event. */
export function isKept({ prompt, attachments = [] }: GivenPrompt): boolean {
  return attachments.length > 0 || Buffer.byteLength(prompt) > LIMITS.promptInlineBytes;
}

/** What is large goes to blobs before the event that names it. */
export async function keepPrompt(
  keeper: Keeper,
  { prompt, attachments = [] }: GivenPrompt,
): Promise<{ readonly prompt: TextOrBlob; readonly items: readonly Attachment[] }> {
  const kept = await storeText(keeper, prompt, LIMITS.promptInlineBytes);
  return { prompt: kept, items: await Promise.all(attachments.map((given) => keepAttachment(keeper, given))) };
}

async function keepAttachment(keeper: Keeper, { bytes, ...rest }: GivenAttachment): Promise<Attachment> {
  return { ...rest, blob: bytes === null ? null : await keepWhole(keeper, bytes), bytes: bytes?.length ?? 0 };
}
