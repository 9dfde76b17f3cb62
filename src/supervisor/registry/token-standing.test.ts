import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { Token, TokenState } from "../../domains/index.ts";
import type { List } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import { CHAIN_MAX, createTokenStanding, earlier } from "./token-standing.ts";

const DAY_MS = 86_400_000;

/** Tokens with their makers, as the log records them. */
function tokens(given: { readonly [id: string]: { readonly maker?: string; readonly expiresAtMs?: number } }) {
  const clock = { wallMs: 1_800_000_000_000, steadyMs: 0 };
  const states = new Map<string, TokenState>();
  for (const [tokenId, { expiresAtMs = null }] of Object.entries(given)) {
    const rest = { secretHash: "", label: "", capabilities: ["*"], sessionId: null };
    const token: Token = { tokenId, expiresAtMs, ...rest };
    states.set(tokenId, { at: "valid", version: 1, token });
  }
  const reads: string[] = [];
  const standing = createTokenStanding(
    {
      row: async <Row>(_list: List<Row>, id: string) => (states.get(id) ?? null) as Row | null,
      readStream: async (stream) => {
        reads.push(stream.slice("token/".length));
        if (!states.has(stream.slice("token/".length))) return { events: [], next: null };
        const maker = given[stream.slice("token/".length)]?.maker;
        const actor = maker === undefined ? "operator" : `token:${maker}`;
        return { events: [{ actor } as RecordedEvent], next: null };
      },
    },
    { nowMs: () => clock.wallMs, steadyMs: () => clock.steadyMs },
  );
  return { clock, states, standing, reads, is: async (id: string) => (await standing.byId(id)).is };
}

proves("TK-7", "an expired token is refused, and a clock set back does not revive it", async () => {
  const { clock, is } = tokens({ t: { expiresAtMs: 1_800_000_000_000 + DAY_MS } });
  expect(await is("t")).toBe("good");
  clock.wallMs += DAY_MS;
  expect(await is("t")).toBe("ended");
  clock.wallMs -= 30 * DAY_MS;
  expect(await is("t")).toBe("ended");
});

proves("TK-7", "a clock set back does not lengthen a token's life", async () => {
  const { clock, is } = tokens({ t: { expiresAtMs: 1_800_000_000_000 + DAY_MS } });
  expect(await is("t")).toBe("good");
  clock.wallMs -= 30 * DAY_MS;
  clock.steadyMs += DAY_MS - 1;
  expect(await is("t")).toBe("good");
  clock.steadyMs += 1;
  expect(await is("t")).toBe("ended");
});

proves("TK-8", "a token is valid only while every token it came from is valid", async () => {
  const chain = { a: { expiresAtMs: 1_800_000_000_000 + DAY_MS }, b: { maker: "a" }, c: { maker: "b" } };
  const { clock, states, is } = tokens(chain);
  expect(await is("c")).toBe("good");
  states.set("b", { at: "revoked", version: 2 });
  expect([await is("a"), await is("b"), await is("c")]).toEqual(["good", "ended", "ended"]);
  const other = tokens(chain);
  other.clock.wallMs += DAY_MS;
  expect(await other.is("c")).toBe("ended");
  expect(clock.steadyMs).toBe(0);
});

proves("TK-8", "tokens that name each other as their maker, or form an endless chain, are refused", async () => {
  const { is } = tokens({ a: { maker: "b" }, b: { maker: "a" }, own: { maker: "own" }, orphan: { maker: "gone" } });
  expect([await is("a"), await is("own"), await is("orphan"), await is("gone")]).toEqual(Array(4).fill("ended"));
});

proves("TK-8", "a chain of makers is followed up to its limit and no further", async () => {
  const chain = Array.from({ length: CHAIN_MAX + 3 }, (_, n) => [`t${n}`, n === 0 ? {} : { maker: `t${n - 1}` }]);
  const { is, standing } = tokens(Object.fromEntries(chain));
  expect(await is(`t${CHAIN_MAX}`)).toBe("good");
  expect(await is(`t${CHAIN_MAX + 1}`)).toBe("ended");
  expect(await standing.chainOf("t2")).toEqual(["t2", "t1", "t0"]);
  expect(await standing.chainOf(`t${CHAIN_MAX + 2}`)).toHaveLength(CHAIN_MAX + 1);
});

proves("TK-8", "the end of a token is the earliest end in its chain", async () => {
  const { standing } = tokens({
    a: { expiresAtMs: 1_800_000_000_000 + DAY_MS },
    b: { maker: "a", expiresAtMs: 1_800_000_000_000 + 2 * DAY_MS },
    c: { maker: "b" },
  });
  expect(await standing.byId("c")).toMatchObject({ expiresAtMs: 1_800_000_000_000 + DAY_MS, depth: 2 });
  expect([earlier(null, null), earlier(1, null), earlier(null, 2), earlier(1, 2)]).toEqual([null, 1, 2, 1]);
});

proves("TK-8", "makers are read once and remembered up to a limit; an unknown token is looked up again", async () => {
  const { states, standing, reads, is } = tokens({ a: {}, b: { maker: "a" }, late: { maker: "gone" } });
  const late = states.get("late");
  states.delete("late");
  expect(await standing.chainOf("late")).toEqual(["late"]);
  if (late !== undefined) states.set("late", late);
  expect(await is("late")).toBe("ended");
  reads.length = 0;
  for (let n = 0; n < 3; n += 1) expect(await is("b")).toBe("good");
  expect(reads).toEqual(["b", "a"]);
  const many = tokens(Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`t${n}`, {}])));
  for (let n = 0; n < 10_000; n += 1) await many.is(`t${n}`);
  await many.is("t0");
  expect(many.reads).toHaveLength(10_000);
  await many.is("t10000");
  await many.is("t0");
  await many.is("t2");
  expect(many.reads.slice(10_000)).toEqual(["t10000", "t0"]);
});
