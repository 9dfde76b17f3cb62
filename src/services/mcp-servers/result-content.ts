import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { ServedContent, ServedResult } from "../../turns/index.ts";

/** Media types that a model can look at. */
const IMAGES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const IMAGE_BYTES_MAX = 5_242_880;
const IMAGES_MAX = 8;

/** A server's result as a model gets it, cut with a note where it is too large. */
export function servedResult(result: CallToolResult, bytesMax: number): ServedResult {
  const { content, isError = false } = result;
  return { content: cut(content.map(shown), bytesMax), isError };
}

/** A server may say what it was given: neither the model nor the log gets it. */
export function withoutSecrets(result: CallToolResult, hide: (text: string) => string): CallToolResult {
  const { content, structuredContent, ...rest } = result;
  const isStructured = content.length === 0 && structuredContent !== undefined;
  const blocks: ContentBlock[] = isStructured ? [{ type: "text", text: JSON.stringify(structuredContent) }] : content;
  const hidden = blocks.map((block): ContentBlock => {
    if (block.type === "text") return { ...block, text: hide(block.text) };
    if (block.type !== "resource" || !("text" in block.resource)) return block;
    return { ...block, resource: { ...block.resource, text: hide(block.resource.text) } };
  });
  return { ...rest, content: hidden };
}

function shown(block: ContentBlock): ServedContent {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return IMAGES.includes(block.mimeType) && block.data.length <= IMAGE_BYTES_MAX
        ? { kind: "image", mediaType: block.mimeType, base64: block.data }
        : text(`[an image of ${block.data.length} base64 bytes (${block.mimeType}) was left out]`);
    case "audio":
      return text(`[audio (${block.mimeType}) was left out]`);
    case "resource_link":
      return text(`[${block.name}: ${block.uri}]`);
    case "resource": {
      const { resource } = block;
      return "text" in resource ? text(resource.text) : text(`[${resource.uri}: bytes were left out]`);
    }
  }
}

function cut(blocks: readonly ServedContent[], bytesMax: number): readonly ServedContent[] {
  const kept: ServedContent[] = [];
  let left = bytesMax;
  let images = 0;
  for (const block of blocks) {
    if (block.kind === "image") {
      images += 1;
      kept.push(images <= IMAGES_MAX ? block : text("[a further image was left out]"));
      continue;
    }
    const bytes = Buffer.byteLength(block.text);
    if (bytes <= left) kept.push(block);
    else kept.push(text(`${beginning(block.text, left)}\n[cut: the result is larger than ${bytesMax} bytes]`));
    left -= bytes;
    if (left < 0) break;
  }
  return kept;
}

/** Cut at a character, not within one. */
function beginning(whole: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(whole).subarray(0, bytes)).replace(/\uFFFD$/, "");
}

function text(words: string): ServedContent {
  return { kind: "text", text: words };
}
