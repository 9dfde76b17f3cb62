import { memberOf } from "../../kernel/index.ts";

/** The parts of a message that the proxy needs. */
export interface McpMessage {
  /** The text as received; the daemon reports what is wrong with it. */
  readonly bytes: Uint8Array;
  readonly id: string | number | null;
  readonly method: string | null;
  /** Set by clients without a handshake: they send the protocol version with each request. */
  readonly version: string | null;
  /** The request that a `notifications/cancelled` names. */
  readonly cancels: string | number | null;
  /** The method and name, repeated in the headers. */
  readonly name: string | null;
}

const VERSION_META = "io.modelcontextprotocol/protocolVersion";
const NAMED_BY: { readonly [method: string]: string } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

export function readMessage(bytes: Uint8Array): McpMessage {
  const message = parsed(Buffer.from(bytes).toString("utf8"));
  const method = textIn(message, "method");
  const params = memberOf(message, "params");
  return {
    bytes,
    id: idIn(message, "id"),
    method,
    version: textIn(memberOf(params, "_meta"), VERSION_META),
    cancels: method === "notifications/cancelled" ? idIn(params, "requestId") : null,
    name: method === null ? null : textIn(params, Object.hasOwn(NAMED_BY, method) ? (NAMED_BY[method] ?? "") : ""),
  };
}

/** A request without a handshake repeats parts of its body in headers. */
export function headersOf({ method, version, name }: McpMessage): Record<string, string> {
  if (version === null || method === null) return {};
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(name === null ? {} : { "mcp-name": headerText(name) }),
  };
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function textIn(value: unknown, key: string): string | null {
  const found = memberOf(value, key);
  return typeof found === "string" ? found : null;
}

function idIn(value: unknown, key: string): string | number | null {
  const found = memberOf(value, key);
  return typeof found === "string" || typeof found === "number" ? found : null;
}

const PLAIN = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;
const WRAPPED = /^=\?base64\?.*\?=$/;

function headerText(value: string): string {
  if (PLAIN.test(value) && !WRAPPED.test(value)) return value;
  return `=?base64?${Buffer.from(value).toString("base64")}?=`;
}
