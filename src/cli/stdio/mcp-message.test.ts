import { expect, test } from "vitest";
import { headersOf, readMessage } from "./mcp-message.ts";

const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const read = (message: unknown) => readMessage(Buffer.from(JSON.stringify(message)));

test("a request without a handshake repeats its method and name in headers", () => {
  const message = read({ id: 1, method: "tools/call", params: { name: "session_list", _meta: meta } });
  expect(headersOf(message)).toEqual({
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "session_list",
  });
});

test.each([
  ["nomos://sessions/ä", "=?base64?bm9tb3M6Ly9zZXNzaW9ucy/DpA==?="],
  [" padded", "=?base64?IHBhZGRlZA==?="],
  ["=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="],
  ["two words", "two words"],
])("a name that is not valid in a header is encoded: %s", (uri, expected) => {
  const message = read({ id: 1, method: "resources/read", params: { uri, _meta: meta } });
  expect(headersOf(message)["mcp-name"]).toBe(expected);
});

test("a request inside an MCP session has none of these headers", () => {
  expect(headersOf(read({ id: 1, method: "tools/call", params: { name: "x" } }))).toEqual({});
});

test("a line that is not a message is still passed on", () => {
  expect(readMessage(Buffer.from("{"))).toMatchObject({ id: null, method: null, version: null, cancels: null });
  expect(read([1])).toMatchObject({ id: null, method: null });
});

test("a cancellation names the request it cancels", () => {
  expect(read({ method: "notifications/cancelled", params: { requestId: 5 } })).toMatchObject({ cancels: 5 });
  expect(read({ method: "tools/call", params: { requestId: 5 } })).toMatchObject({ cancels: null });
});
