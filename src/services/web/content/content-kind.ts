import { NomosError } from "../../../contract/index.ts";

export type ContentKind =
  | { readonly kind: "html" }
  | { readonly kind: "text" }
  | { readonly kind: "image"; readonly mediaType: string };

/** Bytes that a model can be shown as an image: what providers take. */
const IMAGE_BYTES_MAX = 3_750_000;

/** By the bytes first, then by the header: a server may say anything. Throws `web_unreadable` or `web_too_large`. */
export function contentKind(body: Buffer, contentType: string): ContentKind {
  const said = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  const image = imageType(body);
  if (image !== null) {
    if (body.length > IMAGE_BYTES_MAX) throw tooLarge(body.length);
    return { kind: "image", mediaType: image };
  }
  if (body.subarray(0, 5).toString("latin1") === "%PDF-" || said === "application/pdf")
    throw unreadable("a PDF file", body);
  if (isText(body)) {
    const looksHtml = /^\s*(<!--[\s\S]{0,500}?-->\s*)?<(!doctype html|html|head|body)\b/i.test(headOf(body));
    return {
      kind: HTML.includes(said) || (said !== "text/plain" && looksHtml && !said.includes("json")) ? "html" : "text",
    };
  }
  throw unreadable(/^[\w.+-]+\/[\w.+-]+$/.test(said) ? said : "binary data", body);
}

const HTML = ["text/html", "application/xhtml+xml"];
const SNIFFED_BYTES = 4096;

function headOf(body: Buffer): string {
  return body
    .subarray(0, SNIFFED_BYTES)
    .toString("latin1")
    .replace(/^\u00ef\u00bb\u00bf/, "");
}

/** No NUL and no other control character at the beginning, unless a byte order mark says UTF-16. */
function isText(body: Buffer): boolean {
  const head = body.subarray(0, SNIFFED_BYTES);
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return true;
  return head.every((byte) => (byte >= 0x20 && byte !== 0x7f) || (byte >= 0x09 && byte <= 0x0d) || byte === 0x1b);
}

function imageType(body: Buffer): string | null {
  const head = body.subarray(0, 12).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(head)) return "image/gif";
  return /^RIFF[\s\S]{4}WEBP$/.test(head) ? "image/webp" : null;
}

function tooLarge(bytes: number): NomosError {
  const message = `The image is too large to be shown: ${kilobytes(bytes)}.`;
  return new NomosError("web_too_large", { bytes, bytesMax: IMAGE_BYTES_MAX }, { message });
}

function unreadable(what: string, body: Buffer): NomosError {
  const message = `The content cannot be made readable: it is ${what}, ${kilobytes(body.length)}.`;
  const remedy = "Look for the same content as a web page or as text.";
  return new NomosError("web_unreadable", { what }, { message, remedy });
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`;
}
