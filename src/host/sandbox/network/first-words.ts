/** The first bytes a client sends through a tunnel, as far as they name the host it wants. */
export type FirstWords =
  | { readonly is: "more needed" }
  /** The server name it asks for; null without one. */
  | { readonly is: "tls"; readonly name: string | null }
  /** Each of its requests names the host. */
  | { readonly is: "http" }
  /** TLS-like bytes that a server might parse differently than we do. */
  | { readonly is: "unclear" }
  | { readonly is: "other" };

const HANDSHAKE = 0x16;
const CLIENT_HELLO = 0x01;
const RECORD_HEADER_BYTES = 5;
/** The PROXY protocol's signature: after its header a server may read a request that was not checked. */
const PROXY_HEADER = Buffer.from("\r\n\r\n\0\r\nQUIT\n");
/** No honest client hello is larger. */
export const FIRST_WORDS_BYTES_MAX = 65_536;

export function readFirstWords(bytes: Buffer): FirstWords {
  if (bytes[0] === HANDSHAKE) return readClientHello(bytes);
  if (bytes.subarray(0, PROXY_HEADER.length).equals(PROXY_HEADER)) return { is: "unclear" };
  // Servers skip blank lines and spaces before a request, and a request may arrive byte by byte.
  const text = bytes.toString("latin1", 0, Math.min(bytes.length, FIRST_WORDS_BYTES_MAX)).replace(/^[\r\n\t ]+/, "");
  if (text === "") return { is: "more needed" };
  const [line = ""] = text.split("\n", 1);
  if (/HTTP\/\d/i.test(line) || /^[a-z]{1,16}[ \t]/i.test(line)) return { is: "http" };
  // An incomplete line of text may still become a request; other protocols contain other bytes.
  const isOpen = line.length === text.length && /^[\x20-\x7e\t]+\r?$/.test(line);
  return isOpen ? { is: "more needed" } : { is: "other" };
}

/** RFC 8446, section 4.1.2, and RFC 6066, section 3. The hello may span several records. */
function readClientHello(bytes: Buffer): FirstWords {
  const hello: Buffer[] = [];
  for (let at = 0; at + RECORD_HEADER_BYTES <= bytes.length; ) {
    if (bytes[at] !== HANDSHAKE || bytes[at + 1] !== 3) return { is: "unclear" };
    const length = bytes.readUInt16BE(at + 3);
    const from = at + RECORD_HEADER_BYTES;
    hello.push(bytes.subarray(from, from + length));
    at = from + length;
  }
  const message = Buffer.concat(hello);
  if (message.length < 4) return { is: "more needed" };
  if (message[0] !== CLIENT_HELLO) return { is: "unclear" };
  const length = message.readUIntBE(1, 3);
  if (message.length < 4 + length) return { is: "more needed" };
  try {
    return { is: "tls", name: serverName(message.subarray(4, 4 + length)) };
  } catch (thrown) {
    // A length points beyond the end, or there is more than one name.
    if (thrown instanceof RangeError) return { is: "unclear" };
    throw thrown;
  }
}

const FIXED_BYTES = 34;
const SERVER_NAME = 0;

function serverName(hello: Buffer): string | null {
  let at = FIXED_BYTES;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  if (at >= hello.length) return null;
  const end = at + 2 + hello.readUInt16BE(at);
  const names: string[] = [];
  for (at += 2; at < end; ) {
    const [type, length] = [hello.readUInt16BE(at), hello.readUInt16BE(at + 2)];
    at += 4;
    if (type === SERVER_NAME) names.push(nameIn(hello.subarray(at, at + length)));
    at += length;
  }
  if (names.length > 1 || at !== end || end !== hello.length) throw new RangeError("no hello of one name");
  return names[0] ?? null;
}

const HOST_NAME = 0;

/** A list with exactly one entry: list length, type of name, name length, name. */
function nameIn(list: Buffer): string {
  const length = list.readUInt16BE(3);
  const isOne =
    list.readUInt16BE(0) === list.length - 2 && list.readUInt8(2) === HOST_NAME && length === list.length - 5;
  if (!isOne) throw new RangeError("not one name");
  return list.toString("latin1", 5);
}
