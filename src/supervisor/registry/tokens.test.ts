import { expect } from "vitest";
import { type MemoryHome, makeMemoryHome } from "../../../test/support/memory-home.ts";
import { proves } from "../../../test/support/proves.ts";
import { newId, SPEC } from "../../../test/support/store-home.ts";
import { NomosError } from "../../contract/index.ts";
import type { Actor, TokenState } from "../../domains/index.ts";
import { openSession, type SandboxMode, Session } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { CHAIN_MAX } from "./token-standing.ts";
import { allTokens, createTokens, type Tokens } from "./tokens.ts";

const OPERATOR: Actor = { principal: "operator", capabilities: ["*"], sessionId: null };
const BY = { actor: "test" };
const MINUTE_MS = 60_000;

function tokensHere() {
  const home = makeMemoryHome();
  const keyless: string[] = [];
  const whenKeyless = (sessionId: string): (() => void) => {
    keyless.push(sessionId);
    return () => undefined;
  };
  const again = (): Tokens => createTokens({ ...home, newId, whenKeyless });
  const tokens = again();
  const issue = async (more: Partial<Parameters<Tokens["issue"]>[0]> = {}, maker: Actor = OPERATOR) => {
    const input = { label: "t", capabilities: ["session.read"], sessionId: null, ttlMs: null, sandbox: null, ...more };
    const { secret, events } = await tokens.issue(input, maker, { actor: maker.principal });
    const tokenId = events[0]?.stream.slice("token/".length) ?? "";
    return { secret, tokenId, holder: () => tokens.actorOf(secret) };
  };
  const holderOf = async (token: { readonly holder: () => Promise<Actor | null> }): Promise<Actor> =>
    (await token.holder()) ?? expect.fail("it is valid");
  return { ...home, tokens, keyless, issue, holderOf, again };
}

const revocations = async ({ store }: MemoryHome, tokenId: string) =>
  (await store.readStream(`token/${tokenId}`, { limit: 9 })).events
    .filter(({ type }) => type === "token.revoked@1")
    .map(({ actor }) => actor);

proves("TK-8", "a token's time is over: it is refused by its secret and by its id, and is in no list", async () => {
  const at = tokensHere();
  const token = await at.issue({ ttlMs: MINUTE_MS });
  const endless = await at.issue();
  at.pass(MINUTE_MS - 1);
  expect(await at.holderOf(token)).toEqual({
    principal: `token:${token.tokenId}`,
    capabilities: ["session.read"],
    sessionId: null,
    floor: "strict",
  });
  at.pass(1);
  expect(await token.holder()).toBeNull();
  expect(await at.tokens.actorById(token.tokenId)).toBeNull();
  expect((await at.tokens.list()).map(({ tokenId }) => tokenId)).toEqual([endless.tokenId]);
});

proves("TK-7", "an expired token was used: its end is recorded once, and a later daemon refuses it too", async () => {
  const at = tokensHere();
  const token = await at.issue({ ttlMs: MINUTE_MS });
  at.pass(MINUTE_MS);
  await token.holder();
  expect(await revocations(at, token.tokenId)).toEqual(["daemon"]);
  at.pass(-MINUTE_MS);
  expect(await at.again().actorOf(token.secret)).toBeNull();
  expect(await revocations(at, token.tokenId)).toEqual(["daemon"]);
});

proves("TK-8", "the end of an expired token cannot be recorded: it is refused, and a bug is not hidden", async () => {
  const at = tokensHere();
  const token = await at.issue({ ttlMs: MINUTE_MS });
  at.pass(MINUTE_MS);
  const failing = (thrown: unknown): Tokens => {
    const committer = { ...at.committer, change: () => Promise.reject(thrown) };
    return createTokens({ store: at.store, committer, clock: at.clock, newId, whenKeyless: () => () => undefined });
  };
  expect(await failing(new NomosError("token_revoked", { tokenId: "t" })).actorOf(token.secret)).toBeNull();
  await expect(failing(new TypeError("a bug")).actorOf(token.secret)).rejects.toThrow("a bug");
});

proves("TK-8", "a token issues one with a longer life or none: both end with their maker", async () => {
  const at = tokensHere();
  const capabilities = ["session.read", "token.admin"];
  const maker = await at.issue({ ttlMs: MINUTE_MS, capabilities });
  const by = await at.holderOf(maker);
  const ends = [10 * MINUTE_MS, null, 1000].map(async (ttlMs) => {
    const { tokenId } = await at.issue({ ttlMs }, by);
    return (await at.tokens.list()).find((one) => one.tokenId === tokenId)?.expiresAtMs;
  });
  const nowMs = at.clock.nowMs();
  expect(await Promise.all(ends)).toEqual([nowMs + MINUTE_MS, nowMs + MINUTE_MS, nowMs + 1000]);
  await at.tokens.revoke(maker.tokenId, BY);
  await expect(at.issue({}, by)).rejects.toMatchObject({ code: "unauthorized" });
});

proves("TK-8", "a chain of tokens that issue tokens ends at its limit", async () => {
  const at = tokensHere();
  let maker = OPERATOR;
  for (let n = 0; n <= CHAIN_MAX; n += 1) maker = await at.holderOf(await at.issue({}, maker));
  await expect(at.issue({}, maker)).rejects.toMatchObject({ code: "denied", details: { rules: ["maker_chain"] } });
});

proves("TK-4", "a token issues none that may do more, and none with a weaker floor", async () => {
  const at = tokensHere();
  const maker = await at.holderOf(await at.issue({ sandbox: "enforce" }));
  expect(maker.floor).toBe("enforce");
  const wider = at.issue({ capabilities: ["session.read", "session.write"] }, maker);
  await expect(wider).rejects.toMatchObject({ code: "denied", details: { rules: ["no_widening"] } });
  await expect(at.issue({ sandbox: "warn" }, maker)).rejects.toMatchObject({ code: "sandbox_floor" });
  const floorOf = async (sandbox: SandboxMode | null) => (await at.holderOf(await at.issue({ sandbox }, maker))).floor;
  expect([await floorOf("enforce"), await floorOf("strict"), await floorOf(null)]).toEqual([
    "enforce",
    "strict",
    "strict",
  ]);
  expect((await at.tokens.list()).map(({ sandbox }) => sandbox).toSorted()).toEqual([
    "enforce",
    "enforce",
    "strict",
    "strict",
  ]);
});

proves("TK-1", "a token for one session gets that session's mode, but none weaker than its maker's", async () => {
  const at = tokensHere();
  const sessionId = newId();
  const spec = { ...SPEC, sandbox: "warn" as const };
  await at.committer.change(Session, sessionId, (state) => openSession(state, { spec, label: null }), BY);
  const confined = await at.holderOf(await at.issue({ sessionId }));
  expect(confined).toMatchObject({ sessionId, floor: "warn" });
  const maker = await at.holderOf(await at.issue({ sandbox: "enforce" }));
  expect((await at.holderOf(await at.issue({ sessionId }, maker))).floor).toBe("enforce");
  const strict = await at.issue({ sessionId: newId() });
  expect((await at.holderOf(strict)).floor).toBe("strict");
  const { events } = await at.store.readStream(`token/${strict.tokenId}`, { limit: 1 });
  expect(events[0]?.data).not.toHaveProperty("sandbox");
});

proves("TK-8", "a revoked token and an unknown one: neither can be revoked, both are refused", async () => {
  const at = tokensHere();
  const token = await at.issue();
  expect((await at.tokens.revoke(token.tokenId, BY)).map(({ type }) => type)).toEqual(["token.revoked@1"]);
  expect(await token.holder()).toBeNull();
  expect(await at.tokens.actorOf("nmt_unknown")).toBeNull();
  await expect(at.tokens.revoke(token.tokenId, BY)).rejects.toMatchObject({ code: "token_revoked" });
  await expect(at.tokens.revoke("none", BY)).rejects.toMatchObject({ code: "token_not_found" });
});

proves("TK-9", "a watched token ends once: when it or its maker is revoked, and not with another", async () => {
  const at = tokensHere();
  const maker = await at.issue({ capabilities: ["*"] });
  const token = await at.issue({}, await at.holderOf(maker));
  const other = await at.issue();
  const seen: string[] = [];
  const watch = (name: string, tokenId: string) => at.tokens.watch(`token:${tokenId}`, () => seen.push(name));
  watch("token", token.tokenId);
  watch("maker", maker.tokenId);
  const stop = watch("stopped", token.tokenId);
  await settled();
  stop();
  await at.tokens.revoke(other.tokenId, BY);
  await at.issue({}, await at.holderOf(maker));
  await settled();
  expect(seen).toEqual([]);
  await at.tokens.revoke(maker.tokenId, BY);
  expect(seen.toSorted()).toEqual(["maker", "token"]);
  await at.tokens.revoke(token.tokenId, BY);
  await settled();
  expect(seen).toHaveLength(2);
});

proves("TK-9", "a revocation among other events ends the watch; an end of the watch ends the listening", async () => {
  const at = tokensHere();
  const { tokenId } = await at.issue();
  const listeners = new Set<Parameters<Store["onAppend"]>[0]>();
  const onAppend: Store["onAppend"] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const tokens = createTokens({ ...at, store: { ...at.store, onAppend }, newId, whenKeyless: () => () => undefined });
  const seen: string[] = [];
  tokens.watch(`token:${tokenId}`, () => seen.push("ended"));
  tokens.watch(`token:${tokenId}`, () => seen.push("stopped"))();
  expect(listeners.size).toBe(1);
  const { events } = await at.store.readStream(`token/${tokenId}`, { limit: 1 });
  const [listener] = listeners;
  listener?.(events);
  expect(seen).toEqual([]);
  listener?.([...events, ...events.map((event) => ({ ...event, type: "token.revoked@1" }))]);
  expect(seen).toEqual(["ended"]);
  expect(listeners.size).toBe(0);
});

proves("TK-9", "a watched token ends when its time is over, and a stopped watch leaves no timer", async () => {
  const at = tokensHere();
  const token = await at.issue({ ttlMs: 90_000 });
  const endless = await at.issue();
  const seen: string[] = [];
  at.tokens.watch(`token:${token.tokenId}`, () => seen.push("ended"));
  const stop = at.tokens.watch(`token:${token.tokenId}`, () => seen.push("stopped"));
  at.tokens.watch(`token:${endless.tokenId}`, () => seen.push("endless"));
  await settled();
  expect(at.timersMs()).toEqual([MINUTE_MS, MINUTE_MS]);
  stop();
  expect(at.timersMs()).toEqual([MINUTE_MS]);
  at.pass(MINUTE_MS);
  await settled();
  expect(at.timersMs()).toEqual([30_000]);
  expect(seen).toEqual([]);
  at.pass(30_000);
  await settled();
  expect(seen).toEqual(["ended"]);
  expect(at.timersMs()).toEqual([]);
});

proves("TK-9", "a watch on a token that is already over ends at once; one that was stopped stays silent", async () => {
  const at = tokensHere();
  const token = await at.issue();
  await at.tokens.revoke(token.tokenId, BY);
  const seen: string[] = [];
  at.tokens.watch(`token:${token.tokenId}`, () => seen.push("ended"));
  at.tokens.watch(`token:${token.tokenId}`, () => seen.push("stopped"))();
  const later = await at.issue({ ttlMs: MINUTE_MS });
  at.tokens.watch(`token:${later.tokenId}`, () => seen.push("stopped"))();
  await settled();
  expect(seen).toEqual(["ended"]);
  expect(at.timersMs()).toEqual([]);
});

proves("TK-9", "a session's key is watched through its session, and an operator's is not watched", async () => {
  const at = tokensHere();
  at.tokens.watch("session:s1", () => undefined);
  at.tokens.watch("operator", () => expect.fail("it never ends"));
  expect(at.keyless).toEqual(["s1"]);
  expect(at.timersMs()).toEqual([]);
});

proves("TK-10", "more tokens than one page holds: all are found", async () => {
  const asked: number[] = [];
  const rowsOf = (count: number): Pick<Store, "rows"> => ({
    rows: async <Row>(_list: unknown, { limit }: { readonly limit: number }) => {
      asked.push(limit);
      return Array.from({ length: Math.min(count, limit) }, () => ({ at: "revoked" }) as Row);
    },
  });
  const lengths: number[] = [];
  for (const count of [999, 1000, 1001, 10_000]) lengths.push((await allTokens(rowsOf(count))).length);
  expect(lengths).toEqual([999, 1000, 1001, 10_000]);
  expect(asked).toEqual([1000, 1000, 10_000, 1000, 10_000, 1000, 10_000, 100_000]);
  const states: readonly TokenState[] = await allTokens(rowsOf(1));
  expect(states).toEqual([{ at: "revoked" }]);
});

/** Reads of the store answer within a few turns of the event loop. */
async function settled(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve));
}
