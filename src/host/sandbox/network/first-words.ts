/** What a client says first through a tunnel, as far as it tells whom it wants to speak to. */
export type FirstWords =
  | { readonly is: "more needed" }
  | { readonly is: "tls"; readonly name: string | null }
  | { readonly is: "http"; readonly name: string | null }
  | { readonly is: "other" };

const HANDSHAKE = 0x16;
const CLIENT_HELLO = 0x01;
const RECORD_HEADER_BYTES = 5;
/** A client hello that is larger than this names no honest server. */
export const FIRST_WORDS_BYTES_MAX = 65_536;

export function readFirstWords(bytes: Buffer): FirstWords {
  if (bytes.length === 0) return { is: "more needed" };
  if (bytes[0] === HANDSHAKE) return readClientHello(bytes);
  // Servers overlook empty lines before a request, and a request may come in pieces of one letter.
  const text = bytes.toString("latin1", 0, Math.min(bytes.length, FIRST_WORDS_BYTES_MAX)).replace(/^[\r\n]+/, "");
  if (!/^($|[a-z]{1,16}($| ))/i.test(text)) return { is: "other" };
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return { is: "more needed" };
  const hosts = [...text.slice(0, end).matchAll(/^host:[ \t]*(.*?)[ \t]*$/gim)].map(([, value = ""]) => value);
  return { is: "http", name: hosts.length === 1 ? (hosts[0] ?? null) : null };
}

/** RFC 8446, section 4.1.2, and RFC 6066, section 3. The hello may be spread over several records. */
function readClientHello(bytes: Buffer): FirstWords {
  const hello: Buffer[] = [];
  for (let at = 0; at + RECORD_HEADER_BYTES <= bytes.length; ) {
    if (bytes[at] !== HANDSHAKE || bytes[at + 1] !== 3) return { is: "other" };
    const length = bytes.readUInt16BE(at + 3);
    const from = at + RECORD_HEADER_BYTES;
    hello.push(bytes.subarray(from, from + length));
    at = from + length;
  }
  const message = Buffer.concat(hello);
  if (message.length < 4) return { is: "more needed" };
  if (message[0] !== CLIENT_HELLO) return { is: "other" };
  const length = message.readUIntBE(1, 3);
  if (message.length < 4 + length) return { is: "more needed" };
  try {
    return { is: "tls", name: serverName(message.subarray(4, 4 + length)) };
  } catch (thrown) {
    // Lengths that lead beyond its end.
    if (thrown instanceof RangeError) return { is: "other" };
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
  for (at += 2; at < end; ) {
    const [type, length] = [hello.readUInt16BE(at), hello.readUInt16BE(at + 2)];
    at += 4;
    // A list with one entry: its length, the kind of name, the name's length, the name.
    if (type === SERVER_NAME) return hello.toString("latin1", at + 5, at + 5 + hello.readUInt16BE(at + 3));
    at += length;
  }
  return null;
}
