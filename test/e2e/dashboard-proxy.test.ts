import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { dirname } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { ask, newLink, type Reached, redeem, type SignedIn, signedIn, signIn } from "./support/browser.ts";
import { eventually, expectOk, expectRefusal, PATIENCE, start, turn } from "./support/talk.ts";
import { startTlsProxy, type TlsProxy } from "./support/tls-proxy.ts";

vi.setConfig(PATIENCE);

const NAME = "nomos.test";
const provesBehindProxy = proves.skipIf(!needs("openssl"));

/** A phone reaches the daemon by a reverse proxy with TLS. */
let daemon: TestDaemon;
let proxy: TlsProxy;
let phone: Reached;
let host: string;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
  if (!needs("openssl")) return;
  proxy = await startTlsProxy(NAME, dirname(daemon.home), daemon.url);
  phone = { url: proxy.url, ca: proxy.ca, servername: NAME };
  host = `${NAME}:${proxy.port}`;
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
});

const setPublicUrl = (publicUrl: string | null) => daemon.call("PUT", "/api/config", { config: { publicUrl } });
const asPhone = ({ headers }: SignedIn) => ({ ...headers, host, origin: `https://${host}` });
const phoneSignIn = async (asked: object = {}): Promise<SignedIn> =>
  signedIn(await redeem(phone, await newLink(daemon, { for: "phone", ...asked }), { host, origin: `https://${host}` }));

provesBehindProxy("DB-7", "no public address is set: no link for a phone, and its host is foreign", async () => {
  expectRefusal(await daemon.call("POST", "/api/dashboard/links", { for: "phone" }), 409, "public_url_missing");
  expect((await ask(phone, "/", { headers: { host } })).code).toBe("forbidden_host");
});

provesBehindProxy("DB-7", "a public address with a path, a login or another protocol is refused", async () => {
  const wrong = ["https://a.test/nomos", "https://a.test/?x=1", "https://me:pw@a.test", "ftp://a.test", "a.test", ""];
  for (const publicUrl of wrong) expectRefusal(await setPublicUrl(publicUrl), 400, "invalid_request");
  const { restart } = expectOk(
    await daemon.call<{ restart: string[] }>("PUT", "/api/config", { config: { publicUrl: `https://${host}/` } }),
  );
  expect(restart).toEqual([]);
});

provesBehindProxy(
  "DB-7",
  "a phone signs in through the proxy: a Secure cookie, and a page that it is served",
  async () => {
    const { url } = expectOk(await daemon.call<{ url: string }>("POST", "/api/dashboard/links", { for: "phone" }), 201);
    expect(url).toMatch(new RegExp(`^https://${host}/#link=nml_[0-9a-f]{48}$`));
    const signed = await phoneSignIn({ label: "pocket" });
    expect(signed.setCookie).toMatch(
      /^__Host-nomos-\d+=[0-9a-f]{48}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect((await ask(phone, "/api/status", { headers: asPhone(signed) })).status).toBe(200);
    expect((await ask(phone, "/ui/now", { headers: { host, accept: "text/html" } })).text).toContain("<!doctype html>");
  },
);

provesBehindProxy(
  "DB-7",
  "an event flows through the proxy as it happens, until the phone's token is revoked",
  async () => {
    const signed = await phoneSignIn();
    const { hostname, port } = new URL(phone.url);
    const headers = { ...asPhone(signed), accept: "text/event-stream" };
    const asked = request({ hostname, port, path: "/api/events?after=0", headers, ca: proxy.ca, servername: NAME });
    asked.end();
    const [stream]: IncomingMessage[] = await once(asked, "response");
    let said = "";
    stream?.on("data", (chunk) => {
      said += String(chunk);
    });
    const { id } = await start(daemon);
    await turn(daemon, id, "say through the proxy");
    await eventually("the event behind the proxy", async () => said.includes("through the proxy"));
    expectOk(await daemon.call("DELETE", `/api/tokens/${signed.tokenId}`));
    await eventually("the end of the stream", async () => stream?.closed === true);
  },
);

provesBehindProxy("DB-7", "a phone watches, answers and prompts, and does nothing of an administrator's", async () => {
  const signed = await phoneSignIn();
  const as = (method: string, path: string, body?: object) =>
    ask(phone, path, { method, body, headers: { ...asPhone(signed), "content-type": "application/json" } });
  const { id } = await start(daemon);
  for (const path of [
    "/api/status",
    "/sessions",
    `/sessions/${id}`,
    "/api/approvals",
    "/api/audit/entries",
    "/api/worktrees",
  ])
    expect([path, (await as("GET", path)).status]).toEqual([path, 200]);
  expect((await as("POST", `/sessions/${id}/prompt`, { prompt: "ask really?" })).status).toBe(200);
  const open = await eventually("the question", async () => {
    const { approvals }: { approvals: { id: string; sessionId: string }[] } = JSON.parse(
      (await as("GET", "/api/approvals?status=pending")).text,
    );
    return approvals.find(({ sessionId }) => sessionId === id);
  });
  expect((await as("POST", `/api/approvals/${open.id}/approve`, { option: "yes" })).status).toBe(200);
  expect((await as("POST", `/sessions/${id}/interrupt`, {})).status).toBeLessThan(500);
  const administers: readonly (readonly [string, string, object?])[] = [
    ["GET", "/api/tokens"],
    ["POST", "/api/tokens", { capabilities: ["session.read"] }],
    ["POST", "/api/dashboard/links", {}],
    ["PUT", "/api/config", { config: {} }],
    ["POST", "/api/shutdown", {}],
    ["POST", "/sessions/agent", { adapter: "demo" }],
    ["POST", `/sessions/${id}/kill`, {}],
    ["POST", "/api/backup", {}],
  ];
  for (const [method, path, body] of administers)
    expect([path, (await as(method, path, body)).code]).toEqual([path, "denied"]);
});

provesBehindProxy("DB-7", "other hosts and origins stay refused, whatever the proxy's headers say", async () => {
  const signed = await phoneSignIn();
  const refused = async (more: Readonly<Record<string, string>>) =>
    (await ask(phone, "/api/status", { headers: { ...asPhone(signed), ...more } })).code;
  const forwarded = { "x-forwarded-host": host, forwarded: `host=${host};proto=https`, "x-original-host": host };
  for (const other of ["evil.test", NAME, `${NAME}:1`, `evil.${host}`, `${NAME}.evil.test`])
    expect([other, await refused({ ...forwarded, host: other })]).toEqual([other, "forbidden_host"]);
  for (const origin of ["https://evil.test", `http://${host}`, `https://${NAME}`, "null"])
    expect([origin, await refused({ ...forwarded, origin })]).toEqual([origin, "forbidden_origin"]);
});

provesBehindProxy(
  "DB-7",
  "what came by TLS stays there: the cookie is no loopback cookie, and loopback's is not Secure",
  async () => {
    const signed = await phoneSignIn();
    const own = { authorization: signed.headers.authorization, cookie: signed.cookie };
    expect((await ask(daemon, "/api/status", { headers: own })).code).toBe("signed_out");
    const local = await redeem(daemon, await newLink(daemon), {
      "x-forwarded-proto": "https",
      "x-forwarded-host": host,
    });
    expect(local.headers["set-cookie"]?.[0]).not.toMatch(/Secure|__Host-/);
    expect((await signIn(daemon)).setCookie).toMatch(/^nomos-\d+=/);
  },
);

provesBehindProxy("DB-7", "the public address is taken away: its host is foreign at once", async () => {
  const signed = await phoneSignIn();
  expectOk(await setPublicUrl(null));
  expect((await ask(phone, "/api/status", { headers: asPhone(signed) })).code).toBe("forbidden_host");
});
