import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DaemonHere, startDaemonHere } from "../../support/daemon-here.ts";
import { alone, initialize, messagesIn, type RawMcp, rawMcp, shakeHands } from "../../support/mcp-raw.ts";

const REQUEST_BYTES_MAX = 20_000;

let daemon: DaemonHere;
let mcp: RawMcp;
beforeAll(async () => {
  daemon = await startDaemonHere({ config: { requestBytesMax: REQUEST_BYTES_MAX } });
  mcp = rawMcp(daemon);
});
afterAll(() => daemon[Symbol.asyncDispose]());

const ping = { jsonrpc: "2.0", id: 9, method: "ping" };

async function refused(
  answer: Response,
): Promise<{ readonly status: number; readonly number: unknown; readonly code: unknown }> {
  const body: { error?: { code?: unknown; data?: { code?: unknown } } } = JSON.parse(await answer.text());
  return { status: answer.status, number: body.error?.code, code: body.error?.data?.code };
}

describe("protocol versions", () => {
  test.each(["2025-06-18", "2025-11-25"])("%s is negotiated and served", async (version) => {
    const hello = await mcp.post(initialize(version));
    expect((await messagesIn(hello))[0]).toMatchObject({ id: 1, result: { protocolVersion: version } });
    const headers = await shakeHands(mcp, version);
    expect((await messagesIn(await mcp.post(ping, headers)))[0]).toEqual({ jsonrpc: "2.0", id: 9, result: {} });
  });

  test("2026-07-28 needs no handshake", async () => {
    const { body, headers } = alone("tools/list");
    const [message] = await messagesIn(await mcp.post(body, headers));
    expect(message).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
  });

  test.each(["2024-11-05", "1999-01-01", "nonsense"])(
    "%s is answered with a version that is served",
    async (version) => {
      const [message] = await messagesIn(await mcp.post(initialize(version)));
      expect(message).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    },
  );

  test("a session cannot continue in a version that is not served", async () => {
    const headers = await shakeHands(mcp, "2025-11-25");
    const answer = await mcp.post(ping, { ...headers, "mcp-protocol-version": "2024-11-05" });
    expect(answer.status).toBe(400);
  });

  test("a request in a version that is not served is told which ones are", async () => {
    const { body, headers } = alone("tools/list", {}, "2099-01-01");
    const answer = await mcp.post(body, headers);
    expect(answer.status).toBe(400);
    expect((await messagesIn(answer))[0]).toMatchObject({
      error: { code: -32_022, data: { supported: ["2026-07-28"], requested: "2099-01-01" } },
    });
  });
});

describe("access to MCP", () => {
  test("without a token, or with a wrong one, nothing is served", async () => {
    const none = await mcp.post(initialize("2025-11-25"), { authorization: "" });
    expect(none.headers.get("www-authenticate")).toBe("Bearer");
    expect(await refused(none)).toEqual({ status: 401, number: -32_000, code: "unauthorized" });
    const wrong = await mcp.post(initialize("2025-11-25"), { authorization: "Bearer nmo_0" });
    expect(await refused(wrong)).toMatchObject({ status: 401, code: "unauthorized" });
  });

  test("a foreign page is refused, the daemon's own page is not", async () => {
    const foreign = await mcp.post(initialize("2025-11-25"), { origin: "https://evil.example" });
    expect(await refused(foreign)).toMatchObject({ status: 403, code: "forbidden_origin" });
    const own = await mcp.post(initialize("2025-11-25"), { origin: daemon.url });
    expect(own.status).toBe(200);
  });

  test.each(["text/plain", "application/jsonp", ""])("a body of type %j is not read", async (type) => {
    const answer = await mcp.post(ping, { "content-type": type });
    expect(await refused(answer)).toMatchObject({ status: 415, code: "unsupported_media_type" });
  });

  test("a body that is too large is not read", async () => {
    const large = JSON.stringify({ ...ping, params: { text: "x".repeat(REQUEST_BYTES_MAX) } });
    expect(await refused(await mcp.send("POST", {}, large))).toMatchObject({ status: 413, code: "body_too_large" });
  });

  test.each([
    ["a body that is not JSON", "{", -32_700, "malformed_json"],
    ["an empty body", "", -32_700, "malformed_json"],
    ["a batch", JSON.stringify([ping, ping]), -32_600, "invalid_request"],
    ["an empty batch", "[]", -32_600, "invalid_request"],
    ["a JSON string", '"ping"', -32_600, "invalid_request"],
    ["null", "null", -32_600, "invalid_request"],
  ])("%s is refused", async (_what, text, number, code) => {
    expect(await refused(await mcp.send("POST", {}, text))).toEqual({ status: 400, number, code });
  });

  test("a body that is not UTF-8 is refused, not repaired", async () => {
    const bytes = Uint8Array.from([0x7b, 0xff, 0x7d]);
    expect(await refused(await mcp.send("POST", {}, bytes))).toMatchObject({ status: 400, code: "invalid_utf8" });
  });

  test.each([
    ["no version of JSON-RPC", { id: 1, method: "ping" }],
    ["a wrong version of JSON-RPC", { jsonrpc: "1.0", id: 1, method: "ping" }],
    ["an invalid id", { jsonrpc: "2.0", id: {}, method: "ping" }],
    ["no method", { jsonrpc: "2.0", id: 1 }],
  ])("a message with %s is refused", async (_what, message) => {
    const headers = await shakeHands(mcp, "2025-11-25");
    const answer = await mcp.post(message, headers);
    expect(answer.status).toBe(400);
    expect(await refused(answer)).toMatchObject({ number: expect.any(Number) });
  });

  test("an unknown method is a protocol error", async () => {
    const headers = await shakeHands(mcp, "2025-11-25");
    const [message] = await messagesIn(await mcp.post({ jsonrpc: "2.0", id: 3, method: "no/such" }, headers));
    expect(message).toMatchObject({ id: 3, error: { code: -32_601 } });
  });

  test("headers that contradict the body are refused", async () => {
    const { body, headers } = alone("tools/list");
    const answer = await mcp.post(body, { ...headers, "mcp-method": "prompts/list" });
    expect(answer.status).toBe(400);
    expect((await messagesIn(answer))[0]).toMatchObject({ error: { code: -32_020 } });
  });

  test.each(["PUT", "PATCH"])("%s is not allowed", async (method) => {
    const answer = await mcp.send(method, {}, "{}");
    expect(answer.headers.get("allow")).toBe("GET, POST, DELETE");
    expect(await refused(answer)).toMatchObject({ status: 405, code: "method_not_allowed" });
  });
});

describe("MCP sessions", () => {
  test("a message or a stream without a session is refused", async () => {
    expect(await refused(await mcp.post(ping))).toMatchObject({ status: 400, code: "mcp_session_missing" });
    expect(await refused(await mcp.send("GET"))).toMatchObject({ status: 400, code: "mcp_session_missing" });
  });

  test("an unknown session is reported as not found", async () => {
    const headers = { "mcp-session-id": crypto.randomUUID() };
    expect(await refused(await mcp.post(ping, headers))).toMatchObject({ status: 404, code: "mcp_session_not_found" });
    expect(await refused(await mcp.send("DELETE", headers))).toMatchObject({ status: 404 });
  });

  test("another client's session is reported as not found", async () => {
    const headers = await shakeHands(mcp, "2025-11-25");
    const other = rawMcp({ ...daemon, token: await daemon.scoped(["session.*"]) });
    expect(await refused(await other.post(ping, headers))).toMatchObject({
      status: 404,
      code: "mcp_session_not_found",
    });
    expect(await refused(await other.send("GET", headers))).toMatchObject({ status: 404 });
    expect(await refused(await other.send("DELETE", headers))).toMatchObject({ status: 404 });
    expect((await mcp.post(ping, headers)).status).toBe(200);
  });

  test("an ended session is reported as not found", async () => {
    const headers = await shakeHands(mcp, "2025-11-25");
    expect((await mcp.send("DELETE", headers)).status).toBe(200);
    expect(await refused(await mcp.post(ping, headers))).toMatchObject({ status: 404, code: "mcp_session_not_found" });
  });

  test("a session is opened only once", async () => {
    const headers = await shakeHands(mcp, "2025-11-25");
    const again = await mcp.post(initialize("2025-11-25"), headers);
    expect(again.status).toBe(400);
    await again.text();
  });

  test("a revoked token: the next call is refused at once", async () => {
    const asked = { capabilities: ["session.*"] };
    const issued: { secret: string; tokenId: string } = JSON.parse(
      await (await daemon.call("POST", "/api/tokens", asked)).text(),
    );
    const theirs = rawMcp({ ...daemon, token: issued.secret });
    const headers = await shakeHands(theirs, "2025-11-25");
    await daemon.call("DELETE", `/api/tokens/${issued.tokenId}`);
    expect(await refused(await theirs.post(ping, headers))).toMatchObject({ status: 401 });
  });
});
