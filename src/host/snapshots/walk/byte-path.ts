/**
 * Names are bytes to the operating system and need not be valid text. Here a name is a string with one character per
 * byte (latin1): exact for any name, sorted like bytes, and cheap, because almost every name is ASCII.
 */
export type ByteName = string;

/** The path for `node:fs`, which would encode a string as UTF-8; that is the same only for ASCII. */
export function pathOf(name: ByteName): string | Buffer {
  return isAscii(name) ? name : Buffer.from(name, "latin1");
}

export function byteNameOf(path: string): ByteName {
  return isAscii(path) ? path : Buffer.from(path, "utf8").toString("latin1");
}

/**
 * The name for people. Invalid UTF-8 bytes are written as `\xff`, and backslashes are doubled, so that no two names
 * look alike.
 */
export function shownName(name: ByteName): string {
  if (isAscii(name)) return name.replaceAll("\\", "\\\\");
  const bytes = Buffer.from(name, "latin1");
  const text = bytes.toString("utf8");
  if (Buffer.from(text, "utf8").equals(bytes)) return text.replaceAll("\\", "\\\\");
  return name.replaceAll("\\", "\\\\").replace(NOT_ASCII, (one) => `\\x${one.charCodeAt(0).toString(16)}`);
}

function isAscii(name: string): boolean {
  return !NOT_ASCII_ONCE.test(name);
}

const NOT_ASCII_ONCE = /[^\0-\x7f]/;
const NOT_ASCII = /[^\0-\x7f]/g;
