import { TextDecoder } from "node:util";

/** The text of a body: by its byte order mark, by the header, by what the page says of itself, else as UTF-8. */
export function decodeText(body: Buffer, contentType: string): string {
  const named = byMark(body) ?? decoderOf(charsetIn(contentType)) ?? decoderOf(charsetInside(body));
  if (named !== null) return named.decode(body);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    // Old pages that name no charset are in this one, as browsers read them.
    return new TextDecoder("windows-1252").decode(body);
  }
}

const INSIDE_BYTES = 2048;

function byMark(body: Buffer): TextDecoder | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return new TextDecoder("utf-8");
  if (body[0] === 0xff && body[1] === 0xfe) return new TextDecoder("utf-16le");
  return body[0] === 0xfe && body[1] === 0xff ? new TextDecoder("utf-16be") : null;
}

function charsetIn(contentType: string): string {
  return /;\s*charset\s*=\s*"?([\w.:+-]{1,40})/i.exec(contentType)?.[1] ?? "";
}

function charsetInside(body: Buffer): string {
  const head = body.subarray(0, INSIDE_BYTES).toString("latin1");
  const meta = /<meta\b[^>]{0,300}\bcharset\s*=\s*["']?\s*([\w.:+-]{1,40})/i.exec(head)?.[1];
  const xml = /^\s*<\?xml\b[^>]{0,200}\bencoding\s*=\s*["']([\w.:+-]{1,40})/i.exec(head)?.[1];
  // Such a page could not have been read as far as this.
  return (meta ?? xml ?? "").replace(/^utf-?16(le|be)?$/i, "utf-8");
}

function decoderOf(label: string): TextDecoder | null {
  if (label === "") return null;
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}
