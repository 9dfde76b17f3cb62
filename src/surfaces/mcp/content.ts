import type { ContentBlock, ReadResourceResult } from "@modelcontextprotocol/server";
import type { Shown, Syscall } from "../../syscalls/index.ts";

type Input = Readonly<Record<string, unknown>>;

/** The answer as MCP content: as the syscall's definition says, else as JSON. */
export function contentOf(syscall: Syscall, value: unknown, input: Input): readonly ContentBlock[] {
  return shownOf(syscall, value, input).map(blockOf);
}

/** The answer as an MCP resource. */
export function documentOf(syscall: Syscall, value: unknown, input: Input, uri: string): ReadResourceResult {
  return {
    contents: shownOf(syscall, value, input).map(({ mediaType, content }) =>
      "text" in content
        ? { uri, mimeType: mediaType, text: content.text }
        : { uri, mimeType: mediaType, blob: content.base64 },
    ),
  };
}

function shownOf({ mcp }: Syscall, value: unknown, input: Input): readonly Shown[] {
  return mcp?.shows?.(value, input) ?? [{ mediaType: "application/json", content: { text: JSON.stringify(value) } }];
}

function blockOf({ mediaType, uri, content }: Shown): ContentBlock {
  if ("base64" in content) {
    const [family] = mediaType.split("/");
    if (family === "image" || family === "audio") return { type: family, mimeType: mediaType, data: content.base64 };
    return { type: "resource", resource: { uri: uri ?? "nomos:bytes", mimeType: mediaType, blob: content.base64 } };
  }
  if (uri === undefined) return { type: "text", text: content.text };
  return { type: "resource", resource: { uri, mimeType: mediaType, text: content.text } };
}
