import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { Token, TokenState } from "../../domains/index.ts";
import type { List } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import { createTokenStanding } from "./token-standing.ts";

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
  const standing = createTokenStanding(
    {
      row: async <Row>(_list: List<Row>, id: string) => (states.get(id) ?? null) as Row | null,
      readStream: async (stream) => {
        const maker = given[stream.slice("token/".length)]?.maker;
        const actor = maker === undefined ? "operator" : `token:${maker}`;
        return { events: [{ actor } as RecordedEvent], next: null };
      },
    },
    { nowMs: () => clock.wallMs, steadyMs: () => clock.steadyMs },
  );
  return { clock, states, is: async (id: string) => (await standing.byId(id)).is };
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
