import { DriverError, type LoadableAttachment } from "../turns/index.ts";

/** What a program accepts beside text, and its name. */
interface Takes {
  readonly name: string;
  readonly images: boolean;
  readonly embeds: boolean;
}

/** A prompt in ACP's blocks. An attachment that the agent cannot take is refused before anything is sent. */
export async function promptContent(
  text: string,
  attachments: readonly LoadableAttachment[],
  can: Takes,
): Promise<readonly object[]> {
  const blocks: object[] = [{ type: "text", text }];
  for (const item of attachments) blocks.push(await block(item, can));
  return blocks;
}

async function block(item: LoadableAttachment, can: Takes): Promise<object> {
  const { kind, name, mediaType } = item;
  const uri = item.uri ?? `nomos:${encodeURIComponent(name)}`;
  if (kind === "link") return { type: "resource_link", name, uri, mimeType: mediaType };
  if (kind === "image") {
    if (!can.images) throw new DriverError("content_unsupported", `${can.name} takes no images`, { name, mediaType });
    return { type: "image", mimeType: mediaType, data: Buffer.from(await item.load()).toString("base64") };
  }
  const bytes = Buffer.from(await item.load());
  const text = asText(bytes);
  if (can.embeds) {
    const resource =
      text === null ? { uri, mimeType: mediaType, blob: bytes.toString("base64") } : { uri, mimeType: mediaType, text };
    return { type: "resource", resource };
  }
  if (text === null)
    throw new DriverError("content_unsupported", `${can.name} takes no files that are not text`, { name, mediaType });
  return { type: "text", text: `Contents of ${name}:\n\n${text}` };
}

function asText(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Not text: the caller sends it as bytes, or refuses it.
    return null;
  }
}
