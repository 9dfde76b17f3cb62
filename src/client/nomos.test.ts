import { expect, test } from "vitest";
import { ClientError } from "./client-error.ts";
import { connect } from "./connect.ts";
import type { FetchInit, FetchResponse } from "./request.ts";

interface Sent extends FetchInit {
  readonly url: string;
}

type Reply = { readonly status: number; readonly body: string } | "lost" | "cut";

const OK: Reply = { status: 200, body: '{"id":"s"}' };
const refused = (status: number, code: string): Reply => ({ status, body: JSON.stringify({ error: { code } }) });

/** Answers each request with the next reply, and every later one with the last. */
async function answering(replies: readonly Reply[], retriesMax = 3) {
  const sent: Sent[] = [];
  const nomos = await connect({
    url: "http://127.0.0.1:1",
    token: "t",
    retriesMax,
    fetch: async (url, init) => {
      const reply = replies[Math.min(sent.length, replies.length - 1)] ?? "lost";
      sent.push({ ...init, url });
      if (reply === "lost") throw new Error("ECONNRESET");
      return responseOf(reply);
    },
  });
  const keys = (): readonly (string | undefined)[] => sent.map(({ headers }) => headers["idempotency-key"]);
  return { nomos, sent, keys };
}

function responseOf(reply: Exclude<Reply, "lost">): FetchResponse {
  if (reply !== "cut") return { status: reply.status, text: async () => reply.body, body: null };
  return {
    status: 200,
    body: null,
    text: async () => {
      throw new Error("aborted");
    },
  };
}

test("a write whose answer was lost is sent again with the same key, another write with another key", async () => {
  const { nomos, sent, keys } = await answering(["lost", "cut", { status: 502, body: "<html>" }, OK]);
  expect(await nomos.session.prompt({ id: "s", prompt: "hi" })).toEqual({ id: "s" });
  await nomos.session.prompt({ id: "s", prompt: "hi" });
  expect(sent.map(({ method, body }) => `${method} ${body}`)).toEqual(Array(5).fill('POST {"prompt":"hi"}'));
  const [first, ...rest] = keys();
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(rest.slice(0, 3)).toEqual([first, first, first]);
  expect(rest[3]).not.toBe(first);
});

test("the caller's own key is used for every attempt", async () => {
  const { nomos, keys } = await answering([refused(503, "starting"), OK]);
  await nomos.call("session.kill", { id: "s" }, { idempotencyKey: "mine" });
  expect(keys()).toEqual(["mine", "mine"]);
});

test.each<[string, Reply]>([
  ["a conflict", refused(409, "session_busy")],
  ["an agent that crashed", refused(502, "agent_crashed")],
  ["a bug of the daemon", refused(500, "internal")],
  ["a closed snapshot store", refused(503, "snapshots_closed")],
])("%s is a refusal and is not retried", async (_what, reply) => {
  const { nomos, sent } = await answering([reply, OK]);
  await expect(nomos.session.show({ id: "s" })).rejects.toBeInstanceOf(ClientError);
  expect(sent).toHaveLength(1);
});

test("retries are bounded, reads are retried too, and 0 means never", async () => {
  const lost = await answering(["lost"], 2);
  await expect(lost.nomos.session.list()).rejects.toMatchObject({ code: "daemon_unreachable", status: 0 });
  expect(lost.sent).toHaveLength(3);
  const never = await answering(["lost"], 0);
  await expect(never.nomos.system.status({})).rejects.toMatchObject({ code: "daemon_unreachable" });
  expect(never.sent).toHaveLength(1);
});

test("an aborted call is not retried", async () => {
  const { nomos, sent } = await answering(["lost"], 100);
  const stop = new AbortController();
  const call = nomos.session.list({}, { signal: stop.signal });
  const reason = new Error("enough");
  stop.abort(reason);
  await expect(call).rejects.toThrow();
  expect(sent.length).toBeLessThanOrEqual(2);
});

test("every syscall is a function of its family", async () => {
  const { nomos, sent } = await answering([OK]);
  await nomos.approval.reject({ approvalId: "a/b", reason: "no" });
  await nomos.worktree.list();
  for await (const _item of nomos.session.stream({ id: "s" })) break;
  expect(sent.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
    "POST /api/approvals/a%2Fb/reject",
    "GET /api/worktrees",
    "GET /sessions/s/stream",
  ]);
});

test("without an address or a token the missing one is named", async () => {
  await expect(connect({ token: "t" })).rejects.toMatchObject({ code: "usage", details: { field: "url" } });
  await expect(connect({ url: "http://x" })).rejects.toMatchObject({ code: "usage", details: { field: "token" } });
});
