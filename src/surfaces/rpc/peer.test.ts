import { describe, expect, test } from "vitest";
import { NomosError } from "../../contract/index.ts";
import type { StreamItem } from "../../syscalls/index.ts";
import { createRpcPeer, type RpcLimits, type RpcOptions } from "./peer.ts";

interface Sent {
  readonly id?: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: string; readonly remedy: string; readonly details: Record<string, unknown> };
  readonly event?: string;
  readonly subscription?: string;
  readonly data?: unknown;
  readonly cursor?: number;
}

function peerWith(call: RpcOptions["call"], limits: Partial<RpcLimits> = {}) {
  const sent: Sent[] = [];
  let blocked: Promise<void> = Promise.resolve();
  const peer = createRpcPeer({
    call,
    limits,
    send: async (text) => {
      sent.push(JSON.parse(text));
      await blocked;
      await new Promise(setImmediate);
    },
  });
  return {
    sent,
    peer,
    say: (message: unknown) =>
      peer.receive(Buffer.from(typeof message === "string" ? message : JSON.stringify(message))),
    block: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      blocked = promise;
      return resolve;
    },
    until: (find: (one: Sent) => boolean) => expect.poll(() => sent.find(find)).toBeDefined(),
  };
}

const echo: RpcOptions["call"] = async ({ method, params, key }) => ({ value: { method, params, key } });

/** A call that ends only when it is cancelled. */
const wait: RpcOptions["call"] = (_asked, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new NomosError("wait_timeout")));
  });

function counting(upTo: number, taken: number[] = []): RpcOptions["call"] {
  return async (_asked, signal) => ({
    stream: (async function* (): AsyncGenerator<StreamItem> {
      for (let id = 1; id <= upTo && !signal.aborted; id += 1) {
        taken.push(id);
        yield { event: "event", id, data: { id } };
      }
    })(),
  });
}

describe("a call", () => {
  test("a call is answered under its id, with its key and its parameters", async () => {
    const { say, sent, until } = peerWith(echo);
    await say({ id: "a", method: "session.show", params: { id: "x" }, key: "k" });
    await until(({ id }) => id === "a");
    expect(sent).toEqual([{ id: "a", result: { method: "session.show", params: { id: "x" }, key: "k" } }]);
  });

  test("a call is answered when it is done, whatever came before it", async () => {
    const { promise: slow, resolve } = Promise.withResolvers<void>();
    const { say, sent, until } = peerWith(async ({ method }) => {
      if (method === "slow") await slow;
      return { value: { method } };
    });
    await say({ id: 1, method: "slow" });
    await say({ id: 2, method: "fast" });
    await until(({ id }) => id === 2);
    resolve();
    await until(({ id }) => id === 1);
    expect(sent.map(({ id }) => id)).toEqual([2, 1]);
  });

  test("a refused call carries code, message, remedy and details", async () => {
    const { say, sent, until } = peerWith(async () => {
      throw new NomosError("session_not_found", { id: "x" });
    });
    await say({ id: 1, method: "session.show" });
    await until(({ id }) => id === 1);
    expect(sent[0]?.error).toMatchObject({ code: "session_not_found", details: { id: "x" } });
    expect(sent[0]?.error?.remedy).toContain("nomos ps");
  });

  test("a call can be cancelled, and the answer says so", async () => {
    const { say, sent, until } = peerWith(wait);
    await say({ id: 1, method: "session.wait" });
    await say({ id: 2, method: "cancel", params: { id: 1 } });
    await until(({ id }) => id === 1);
    expect(sent.find(({ id }) => id === 1)?.error?.code).toBe("call_cancelled");
    expect(sent.find(({ id }) => id === 2)?.result).toEqual({ ok: true });
    await say({ id: 3, method: "cancel", params: { id: 99 } });
    await until(({ id }) => id === 3);
    expect(sent.find(({ id }) => id === 3)?.result).toEqual({ ok: false });
  });

  test("a plain call of a stream is refused with what to do instead", async () => {
    const { say, sent, until } = peerWith(counting(1));
    await say({ id: 1, method: "session.stream" });
    await until(({ id }) => id === 1);
    expect(sent[0]?.error?.details["is"]).toContain("subscribe");
  });

  test("a call under an id in use is refused, and the first call goes on", async () => {
    const { say, sent, until } = peerWith(wait);
    await say({ id: 1, method: "a" });
    await say({ id: 1, method: "b" });
    await until(({ id }) => id === null);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.error?.details).toEqual({ id: 1, is: "in use" });
  });
});

describe("unreadable messages", () => {
  test.each([
    ["text that is not JSON", "{", "malformed_json", null],
    ["a message that is not an object", "[]", "invalid_request", null],
    ["null", "null", "invalid_request", null],
    ["a message without an id", '{"method":"x"}', "invalid_request", null],
    ["an invalid id", '{"id":{},"method":"x"}', "invalid_request", null],
    ["a message without a method", '{"id":7}', "invalid_request", 7],
    ["a list of parameters", '{"id":"z","method":"x","params":[]}', "invalid_request", "z"],
    ["an invalid key", '{"id":8,"method":"x","key":1}', "invalid_request", 8],
  ])("%s is refused", async (_what, text, code, id) => {
    const { say, sent } = peerWith(echo);
    await say(text);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ id, error: { code } });
  });

  test("bytes that are not UTF-8 are refused", async () => {
    const { peer, sent } = peerWith(echo);
    await peer.receive(Buffer.from([0x22, 0xff, 0x22]));
    expect(sent[0]).toMatchObject({ id: null, error: { code: "invalid_utf8" } });
  });
});

describe("a subscription", () => {
  test("a subscription delivers items with cursors, and says how it ended", async () => {
    const { say, sent, until } = peerWith(counting(2));
    await say({ id: 1, method: "subscribe", params: { method: "event.stream" } });
    await until(({ event }) => event === "closed");
    expect(sent).toEqual([
      { id: 1, result: { subscription: "s1" } },
      { event: "event", subscription: "s1", data: { id: 1 }, cursor: 1 },
      { event: "event", subscription: "s1", data: { id: 2 }, cursor: 2 },
      { event: "closed", subscription: "s1", data: { reason: "ended" } },
    ]);
  });

  test("a subscription ends on request", async () => {
    const { say, sent, until } = peerWith(counting(1_000_000));
    await say({ id: 1, method: "subscribe", params: { method: "event.stream" } });
    await until(({ event }) => event === "event");
    await say({ id: 2, method: "unsubscribe", params: { subscription: "s1" } });
    await until(({ event }) => event === "closed");
    expect(sent.at(-1)).toEqual({ event: "closed", subscription: "s1", data: { reason: "unsubscribed" } });
  });

  test("a subscription fetches nothing while the reader has no room", async () => {
    const taken: number[] = [];
    const { say, block } = peerWith(counting(1000, taken));
    const unblock = block();
    const said = say({ id: 1, method: "subscribe", params: { method: "event.stream" } });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(taken.length).toBeLessThanOrEqual(1);
    unblock();
    await said;
    await expect.poll(() => taken.length).toBe(1000);
  });

  test("a subscription that fails says why, and the others go on", async () => {
    const { say, sent, until } = peerWith(async () => ({
      stream: (async function* (): AsyncGenerator<StreamItem> {
        yield { event: "line", data: 1 };
        throw new NomosError("store_closed");
      })(),
    }));
    await say({ id: 1, method: "subscribe", params: { method: "x" } });
    await until(({ event }) => event === "closed");
    expect(sent.at(-1)?.data).toMatchObject({ reason: "failed", error: { code: "store_closed" } });
  });

  test("a refused subscription leaves its place free", async () => {
    const refused: RpcOptions["call"] = async () => {
      throw new NomosError("denied");
    };
    const { say, sent, until } = peerWith(refused, { subscriptionsMax: 1 });
    for (const id of [1, 2, 3]) await say({ id, method: "subscribe", params: { method: "x" } });
    await until(({ id }) => id === 3);
    expect(sent.map(({ error }) => error?.code)).toEqual(["denied", "denied", "denied"]);
  });

  test("a subscription over the limit is refused", async () => {
    const { say, sent, until } = peerWith(counting(1_000_000), { subscriptionsMax: 2 });
    for (const id of [1, 2, 3]) await say({ id, method: "subscribe", params: { method: "x" } });
    await until(({ id }) => id === 3);
    expect(sent.find(({ id }) => id === 3)?.error).toMatchObject({ code: "limit_reached", details: { max: 2 } });
  });
});

describe("limits of a peer", () => {
  test("no further message is read while too many calls run", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { say } = peerWith(
      async () => {
        await promise;
        return { value: {} };
      },
      { callsMax: 2 },
    );
    await say({ id: 1, method: "x" });
    let taken = false;
    const second = say({ id: 2, method: "x" }).then(() => {
      taken = true;
    });
    await new Promise((done) => setTimeout(done, 20));
    expect(taken).toBe(false);
    resolve();
    await second;
  });

  test("no further message is read while the running calls are too large together", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { say } = peerWith(
      async () => {
        await promise;
        return { value: {} };
      },
      { callBytesMax: 100 },
    );
    let taken = false;
    const first = say({ id: 1, method: "x", params: { text: "y".repeat(200) } }).then(() => {
      taken = true;
    });
    await new Promise((done) => setTimeout(done, 20));
    expect(taken).toBe(false);
    resolve();
    await first;
  });
});

describe("the end of a peer", () => {
  test("`end` is answered last, after all calls and subscriptions", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { say, sent, until } = peerWith(async (asked, signal) => {
      if (asked.method === "stream") return counting(1_000_000)(asked, signal);
      await promise;
      return { value: {} };
    });
    await say({ id: 1, method: "slow" });
    await say({ id: 2, method: "subscribe", params: { method: "stream" } });
    await say({ id: "end", method: "end" });
    resolve();
    await until(({ id }) => id === "end");
    expect(sent.at(-1)?.id).toBe("end");
    expect(sent.at(-2)).toMatchObject({ event: "closed", subscription: "s1" });
    expect(sent.some(({ id }) => id === 1)).toBe(true);
  });

  test("`end` with `waitMs`: calls that take longer are cancelled, and the answer says how many", async () => {
    const { say, sent, until } = peerWith((asked, signal) =>
      asked.method === "slow" ? wait(asked, signal) : echo(asked, signal),
    );
    await say({ id: 1, method: "slow" });
    await say({ id: 2, method: "slow" });
    await say({ id: 3, method: "quick" });
    await say({ id: "end", method: "end", params: { waitMs: 20 } });
    await until(({ id }) => id === "end");
    const codes = [1, 2].map((call) => sent.find(({ id }) => id === call)?.error?.code);
    expect(codes).toEqual(["call_cancelled", "call_cancelled"]);
    expect(sent.at(-1)).toEqual({ id: "end", result: { ok: true, cancelled: 2 } });
  });

  test("two `end`s: the first is answered first, and neither waits for the other", async () => {
    const { say, sent, until } = peerWith(wait);
    await say({ id: 1, method: "slow" });
    await say({ id: "first", method: "end", params: { waitMs: 20 } });
    await say({ id: "second", method: "end", params: { waitMs: 1000 } });
    await until(({ id }) => id === "second");
    expect(sent.map(({ id }) => id)).toEqual([1, "first", "second"]);
  });

  test("`end` with a `waitMs` that is no number of milliseconds is refused", async () => {
    const { say, sent, until } = peerWith(echo);
    for (const [id, waitMs] of [-1, 0.5, "1", 3_600_001].entries()) {
      await say({ id, method: "end", params: { waitMs } });
      await until((one) => one.id === id);
    }
    expect(sent.map(({ error }) => error?.code)).toEqual(Array(4).fill("invalid_request"));
  });

  test("a closed peer cancels every call and stream under way", async () => {
    const signals: AbortSignal[] = [];
    const { say, peer } = peerWith((_asked, signal) => {
      signals.push(signal);
      return wait(_asked, signal);
    });
    await say({ id: 1, method: "a" });
    await say({ id: 2, method: "subscribe", params: { method: "b" } });
    peer.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});
