import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { ask, newLink, redeem, signedIn, signIn } from "./support/browser.ts";
import { CALLER, callAs } from "./support/caller.ts";
import { plantDriver } from "./support/driver-file.ts";
import { readStream } from "./support/stream-reader.ts";
import { eventually, expectOk, expectRefusal, PATIENCE, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

/** How a browser gets in, tried by those who should not. */
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const NOBODY = 65_534;
const foreign = "http://evil.example";
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const statusAs = async (headers: Readonly<Record<string, string>>) => {
  const { status, code } = await ask(daemon, "/api/status", { headers });
  return code ?? status;
};

proves("DB-1", "a link is used twice, also at the same time: one sign-in, and a remedy for the other", async () => {
  const link = await newLink(daemon);
  const answers = await Promise.all([redeem(daemon, link), redeem(daemon, link), redeem(daemon, link)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 401, 401]);
  const again = await redeem(daemon, link);
  expect([again.status, again.code, again.headers["set-cookie"]]).toEqual([401, "link_invalid", undefined]);
  expect(again.text).toContain("nomos open");
});

proves("DB-1", "a link is no token: with it one can sign in and do nothing else", async () => {
  const link = await newLink(daemon);
  for (const path of ["/api/status", "/sessions", "/api/tokens", "/api/dashboard/links"])
    expect(
      (await ask(daemon, path, { headers: bearer(link), method: path.endsWith("links") ? "POST" : "GET" })).code,
    ).toBe("denied");
  expect((await redeem(daemon, link)).status).toBe(201);
});

proves("DB-1", "neither a link nor a half of a sign-in's secret is in the log", async () => {
  const link = await newLink(daemon);
  const { page, cookie, tokenId } = signedIn(await redeem(daemon, link));
  const { text } = await daemon.call("GET", "/api/audit/entries?limit=1000&order=desc");
  expect(text).toContain(tokenId);
  for (const secret of [link, page, cookie.split("=")[1] ?? ""]) expect(text).not.toContain(secret.slice(4));
});

proves("DB-2", "a browser signed in: both halves get in, neither alone, nor halves of two sign-ins", async () => {
  const [one, two] = [await signIn(daemon), await signIn(daemon)];
  expect(await statusAs(one.headers)).toBe(200);
  expect(await statusAs({ cookie: one.cookie })).toBe("unauthorized");
  expect(await statusAs(bearer(one.page))).toBe("signed_out");
  expect(await statusAs({ ...one.headers, cookie: two.cookie })).toBe("signed_out");
  expect(await statusAs({ ...two.headers, cookie: one.cookie })).toBe("signed_out");
  const [name = "", value = ""] = one.cookie.split("=");
  for (const whole of [`${value}${one.page}`, `${value} ${one.page}`, `${value}%20${one.page}`])
    expect(await statusAs({ authorization: `Bearer ${whole}`, cookie: one.cookie })).not.toBe(200);
  expect(await statusAs({ ...one.headers, cookie: `${name}=; ${name}x=${value}` })).toBe("signed_out");
  expect(await statusAs({ ...one.headers, cookie: `other=1; ${one.cookie}; more=2` })).toBe(200);
});

proves("DB-2", "the cookie is out of reach of scripts, other sites and other daemons on this host", async () => {
  const { setCookie } = await signIn(daemon);
  const port = new URL(daemon.url).port;
  expect(setCookie).toMatch(
    new RegExp(`^nomos-${port}=[0-9a-f]{48}; Path=/; Max-Age=\\d+; HttpOnly; SameSite=Strict$`),
  );
  const maxAgeSeconds = Number(/Max-Age=(\d+)/.exec(setCookie)?.[1]);
  expect(maxAgeSeconds).toBeGreaterThan(29 * 86_400);
  expect(maxAgeSeconds).toBeLessThanOrEqual(30 * 86_400);
});

proves("DB-2", "another site sends the browser's cookie along: without the page's half it does nothing", async () => {
  const { cookie, headers } = await signIn(daemon);
  const posted = { method: "POST", body: {}, headers: { cookie, "content-type": "application/json" } };
  expect((await ask(daemon, "/api/shutdown", posted)).status).toBe(401);
  expect((await ask(daemon, "/api/status", { headers: { ...headers, origin: foreign } })).code).toBe(
    "forbidden_origin",
  );
  expect((await redeem(daemon, await newLink(daemon), { origin: foreign })).code).toBe("forbidden_origin");
});

proves("DB-3", "a name that leads here by DNS rebinding gets no file and signs nobody in", async () => {
  const host = `evil.example:${new URL(daemon.url).port}`;
  for (const path of ["/", "/ui/now", "/assets/main.js"])
    expect((await ask(daemon, path, { headers: { host, accept: "text/html" } })).code).toBe("forbidden_host");
  const link = await newLink(daemon);
  expect((await redeem(daemon, link, { host })).code).toBe("forbidden_host");
  expect((await redeem(daemon, link)).status).toBe(201);
});

proves("DB-4", "a sign-in is a token: listed by its label, and revoked with everything it opened", async () => {
  const { headers, tokenId } = await signIn(daemon, { label: "kitchen" });
  const { tokens } = expectOk(await daemon.call<{ tokens: object[] }>("GET", "/api/tokens"));
  expect(tokens).toContainEqual(
    expect.objectContaining({ tokenId, label: "browser: kitchen", capabilities: ["*"], sandbox: "off" }),
  );
  const stream = await readStream(daemon, "/api/events?after=0", headers);
  await stream.until("the first event", () => true);
  expectOk(await daemon.call("DELETE", `/api/tokens/${tokenId}`));
  await eventually("the end of the stream", async () => stream.isOver());
  expect(await statusAs(headers)).toBe("signed_out");
});

proves("DB-4", "a browser signs out: its token is revoked and its cookie is cleared", async () => {
  const { headers, tokenId, cookie } = await signIn(daemon, { for: "browser", capabilities: ["session.read"] });
  const json = { "content-type": "application/json" };
  const left = await ask(daemon, "/api/dashboard/sign-out", {
    method: "POST",
    headers: { ...headers, ...json },
    body: {},
  });
  expect([left.status, JSON.parse(left.text)]).toEqual([200, { ok: true, tokenId }]);
  expect(left.headers["set-cookie"]?.[0]).toMatch(new RegExp(`^${cookie.split("=")[0]}=; Path=/; Max-Age=0;`));
  expect(await statusAs(headers)).toBe("signed_out");
});

proves("DB-4", "a link issued with a scoped token gives no more than that token, and ends with it", async () => {
  const capabilities = ["dashboard.*", "system.read"];
  const issued = await daemon.call<{ secret: string; tokenId: string }>("POST", "/api/tokens", { capabilities });
  const { secret, tokenId } = expectOk(issued, 201);
  const open = (asked: object) => daemon.call<{ url: string }>("POST", "/api/dashboard/links", asked, bearer(secret));
  expectRefusal(await open({ capabilities: ["*"] }), 403, "denied");
  const { url } = expectOk(await open({}), 201);
  const { headers, ...browser } = signedIn(await redeem(daemon, url.split("#link=")[1] ?? ""));
  expect(await statusAs(headers)).toBe(200);
  expect((await ask(daemon, "/api/tokens", { headers })).code).toBe("denied");
  const { tokens } = expectOk(await daemon.call<{ tokens: object[] }>("GET", "/api/tokens"));
  expect(tokens).toContainEqual(expect.objectContaining({ tokenId: browser.tokenId, capabilities, sandbox: "strict" }));
  expectOk(await daemon.call("DELETE", `/api/tokens/${tokenId}`));
  expect(await statusAs(headers)).toBe("signed_out");
});

proves("DB-5", "a session's own token asks for a link, or signs in with a stolen one: refused", async () => {
  const { id } = await start(daemon, { adapter: "script", file: await plantDriver(CALLER) });
  const link = await newLink(daemon);
  const answers = await callAs(daemon, id, [
    ["POST", "/api/dashboard/links", {}],
    ["POST", "/api/dashboard/links", { for: "phone" }],
    ["POST", "/api/dashboard/sign-in", { link }],
  ]);
  expect(answers.map(([status]) => status)).toEqual([403, 403, 403]);
});

proves.skipIf(!needs("bwrap"))(
  "DB-5",
  "a link and a sign-in are stolen by a walled session: neither gets in from there",
  async () => {
    const { id } = await start(daemon, { adapter: "script", file: await plantDriver(CALLER), sandbox: "strict" });
    const link = await newLink(daemon);
    const { headers } = await signIn(daemon);
    const answers = await callAs(daemon, id, [
      ["GET", "/health"],
      ["POST", "/api/dashboard/sign-in", {}, bearer(link)],
      ["GET", "/sessions", undefined, headers],
    ]);
    expect(answers.map(([status]) => status)).toEqual([200, 401, 401]);
    expect((await redeem(daemon, link)).status).toBe(201);
  },
);

proves("DB-6", "files need no token, and tell a browser to load nothing from elsewhere", async () => {
  for (const path of ["/", "/ui/now"]) {
    const { headers, text } = await ask(daemon, path, { headers: { accept: "text/html" } });
    expect(text).toContain("<!doctype html>");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["set-cookie"]).toBeUndefined();
  }
  const outside = ["/../package.json", "/%2e%2e/package.json", "/assets/..%2f..%2fpackage.json", "/index.html%00.js"];
  for (const path of outside) expect([path, (await ask(daemon, path)).code]).toEqual([path, "route_not_found"]);
  expect((await ask(daemon, "/ui/now")).code).toBe("route_not_found");
  expect((await ask(daemon, "/", { method: "POST" })).code).toBe("route_not_found");
  expect((await ask(daemon, "/sessions", { headers: { accept: "text/html" } })).code).toBe("unauthorized");
});

proves("DB-6", "an answer holds text of sessions: a browser neither keeps it nor guesses its type", async () => {
  const { id } = await start(daemon);
  await turn(daemon, id, "say <script>alert(1)</script>");
  for (const path of [
    "/api/status",
    `/sessions/${id}/output`,
    `/sessions/${id}/handoff`,
    "/sessions/none",
    "/health",
  ]) {
    const { headers } = await ask(daemon, path, { headers: bearer(daemon.token) });
    expect([path, headers["x-content-type-options"], headers["cache-control"]]).toEqual([path, "nosniff", "no-store"]);
  }
});

proves.skipIf(process.getuid?.() !== 0 || process.platform !== "linux")(
  "DB-5",
  "another user of the machine has read a browser's link: it is not redeemed for them, and still works",
  async () => {
    const link = await newLink(daemon);
    const sent = ["-sX", "POST", "-H", `Authorization: Bearer ${link}`, `${daemon.url}/api/dashboard/sign-in`];
    const asOther = spawnSync("curl", sent, { uid: NOBODY, gid: NOBODY, encoding: "utf8", cwd: "/" });
    // Root started this daemon; a daemon of an ordinary user refuses all but its own user and root.
    expect(asOther.stdout).toContain("link_invalid");
    expect((await redeem(daemon, link)).status).toBe(201);
  },
);

// The last one: it uses up the failed logins that the others may have.
proves("DB-1", "links are guessed: each is refused, and then the guessing is slowed down", async () => {
  const guess = () => redeem(daemon, `nml_${"0".repeat(48)}`);
  expect((await guess()).code).toBe("link_invalid");
  const codes = (await Promise.all(Array.from({ length: 60 }, guess))).map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set(["link_invalid", "rate_limited"]));
  expect(await statusAs(bearer(daemon.token))).toBe(200);
});
