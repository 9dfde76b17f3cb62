import { describe, expect } from "vitest";
import { AccessToken, AGENT_EVENTS, AGENTS, AgentIdentity, TOKEN_EVENTS, TOKENS } from "../../../src/domains/index.ts";
import { fact, factsOf, SESSIONS, Session, sessionStream, streamOf } from "../../../src/kernel/index.ts";
import type { Store } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { admitted, appendTo, newId, note, openSession } from "../../support/store-home.ts";
import type { OpenStore } from "./describe-store.ts";

const agentFact = factsOf(AGENT_EVENTS);
const tokenFact = factsOf(TOKEN_EVENTS);

export function describeLookups(open: OpenStore): void {
  describe("finding sessions, tokens, words and events", () => {
    proves(
      "LOG-11",
      "a session is found by name or by the start of its id; two matches make it ambiguous",
      async () => {
        await using at = await open();
        const ids = [];
        for (const name of ["calm-otter-01", "calm-otter-02", "calm-otter-02", "keen-crane-03"])
          ids.push((await openSession(at.store, name)).slice(sessionStream("").length));
        const [first = "", second = "", third = "", fourth = ""] = ids;
        expect(await sessionIdsLike(at.store, "calm-otter-01")).toEqual([first]);
        expect(await sessionIdsLike(at.store, "calm-otter-02")).toEqual([second, third]);
        expect(await sessionIdsLike(at.store, "calm")).toEqual([]);
        expect(await sessionIdsLike(at.store, fourth)).toEqual([fourth]);
        expect(await sessionIdsLike(at.store, first.slice(0, 8))).toHaveLength(2);
        expect(await sessionIdsLike(at.store, fourth.slice(0, -1))).toEqual([fourth]);
        for (const nothing of ["%", "_", "calm-otter-0%", "zzz", newId()])
          expect(await sessionIdsLike(at.store, nothing)).toEqual([]);
        await appendTo(at.store, sessionStream(third), [
          fact("session.killed@1", { reason: "" }),
          fact("session.forgotten@1", {}),
        ]);
        expect(await sessionIdsLike(at.store, "calm-otter-02")).toEqual([second]);
        expect(await sessionIdsLike(at.store, third)).toEqual([]);
      },
    );

    proves("LOG-9", "lists are read page by page, sessions from the newest", async () => {
      await using at = await open();
      const ids: string[] = [];
      for (let n = 0; n < 7; n += 1) ids.push((await openSession(at.store)).slice(sessionStream("").length));
      const seen: string[] = [];
      for (;;) {
        const id = seen.at(-1);
        const page = await at.store.rows(SESSIONS, { limit: 3, ...(id === undefined ? {} : { after: { id } }) });
        if (page.length === 0) break;
        seen.push(...page.map((row) => row.id));
      }
      expect(seen).toEqual(ids.toReversed());
      for (const slug of ["b", "a", "c"])
        await appendTo(at.store, streamOf(AgentIdentity, slug), [
          agentFact("agent.created@1", { slug, name: slug, driver: "demo", tools: {}, builtIn: false }),
        ]);
      const agents = await at.store.rows(AGENTS, { limit: 2, after: { id: "a" } });
      expect(agents).toMatchObject([{ agent: { slug: "b" } }, { agent: { slug: "c" } }]);
      expect(await at.store.row(AGENTS, "nobody")).toBeNull();
    });

    proves("LOG-11", "a token is found by the hash of its secret until it is revoked", async () => {
      await using at = await open();
      const issued = { label: "l", capabilities: ["*"], sessionId: null, expiresAtMs: null };
      await appendTo(at.store, streamOf(AccessToken, "k1"), [
        tokenFact("token.issued@1", { tokenId: "k1", secretHash: "hash-1", ...issued }),
      ]);
      await appendTo(at.store, streamOf(AccessToken, "k2"), [
        tokenFact("token.issued@1", { tokenId: "k2", secretHash: "hash-2", ...issued }),
      ]);
      const withSecret = (secret: string) => at.store.rows(TOKENS, { limit: 2, where: { secret } });
      expect(await withSecret("hash-1")).toMatchObject([{ at: "valid", token: { tokenId: "k1" } }]);
      expect(await withSecret("hash-3")).toEqual([]);
      await appendTo(at.store, streamOf(AccessToken, "k1"), [tokenFact("token.revoked@1", {})]);
      expect(await withSecret("hash-1")).toEqual([]);
      expect(await at.store.rows(TOKENS, { limit: 2, where: { secret: null } })).toMatchObject([{ at: "revoked" }]);
      await at.reopen();
      expect(await withSecret("hash-2")).toHaveLength(1);
    });

    proves(
      "LOG-11",
      "words are found once they are in the log; all must match, the last one also by its start",
      async () => {
        await using at = await open();
        const stream = await openSession(at.store, "calm-otter-07");
        const other = await openSession(at.store, "keen-crane-08");
        const body = { text: "The migration of the ledger is done", blob: null, bytes: 35 };
        await appendTo(at.store, stream, [admitted("t1", "Please migrate the ledger, and mind the gaps")]);
        await appendTo(at.store, other, [fact("message.completed@1", { turnId: "t1", role: "assistant", ...body })]);
        const hits = async (text: string): Promise<readonly string[]> =>
          (await at.store.search(text, 10, Session)).map(({ stream }) => stream);
        expect(await hits("ledger")).toEqual([other, stream]);
        expect(await hits("ledger migr")).toEqual([other, stream]);
        expect(await hits("ledger gaps")).toEqual([stream]);
        expect(await hits("LEDGER done")).toEqual([other]);
        expect(await hits("otter")).toEqual([stream]);
        expect(await hits("nothing like it")).toEqual([]);
        for (const odd of ["", "   ", '"', "*", "NOT", 'a" OR "b', "^", "-", "ledger AND"])
          expect(Array.isArray(await at.store.search(odd, 10, Session))).toBe(true);
        expect(await at.store.search("ledger", 1, Session)).toHaveLength(1);
        expect(await at.store.search("ledger", 10, AgentIdentity)).toEqual([]);
        await at.reopen();
        await appendTo(at.store, stream, [admitted("t2", "once more the ledger")]);
        expect(await hits("ledger")).toEqual([stream, other, stream]);
      },
    );

    proves("LOG-11", "an event is found by its exact id only", async () => {
      await using at = await open();
      const [first] = await appendTo(at.store, await openSession(at.store), [note(1)]);
      const id = first?.id ?? "";
      expect(await at.store.event(id)).toEqual(first);
      for (const odd of [`${id}zz`, id.toUpperCase(), id.replaceAll("-", ""), id.slice(1), "", "zz", newId()])
        expect(await at.store.event(odd)).toBeNull();
    });
  });
}

/** Among listed sessions: by name, or by the start of an id. */
async function sessionIdsLike(store: Store, nameOrPrefix: string): Promise<readonly string[]> {
  const shown = { limit: 2, descending: false } as const;
  const named = await store.rows(SESSIONS, { ...shown, where: { name: nameOrPrefix, shown: true } });
  const begun = await store.rows(SESSIONS, { ...shown, where: { shown: true }, idPrefix: nameOrPrefix });
  return [...new Set([...named, ...begun].map(({ id }) => id))].slice(0, 2);
}
