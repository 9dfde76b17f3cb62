import { describe, expect } from "vitest";
import { agentStream, fact, sessionStream, tokenStream } from "../../../src/kernel/index.ts";
import { proves } from "../../support/proves.ts";
import { admitted, appendTo, newId, note, openSession } from "../../support/store-home.ts";
import type { OpenStore } from "./describe-store.ts";

export function describeLookups(open: OpenStore): void {
  describe("finding", () => {
    proves(
      "LOG-11",
      "sessions are found by name or by the beginning of an id; two are enough to see that one is not",
      async () => {
        await using at = await open();
        const ids = [];
        for (const name of ["calm-otter-01", "calm-otter-02", "calm-otter-02", "keen-crane-03"])
          ids.push((await openSession(at.store, name)).slice(sessionStream("").length));
        const [first = "", second = "", third = "", fourth = ""] = ids;
        expect(await at.store.sessionIdsLike("calm-otter-01")).toEqual([first]);
        expect(await at.store.sessionIdsLike("calm-otter-02")).toEqual([second, third]);
        expect(await at.store.sessionIdsLike("calm")).toEqual([]);
        expect(await at.store.sessionIdsLike(fourth)).toEqual([fourth]);
        expect(await at.store.sessionIdsLike(first.slice(0, 8))).toHaveLength(2);
        expect(await at.store.sessionIdsLike(fourth.slice(0, -1))).toEqual([fourth]);
        for (const nothing of ["%", "_", "calm-otter-0%", "zzz", newId()])
          expect(await at.store.sessionIdsLike(nothing)).toEqual([]);
        await appendTo(at.store, sessionStream(third), [
          fact("session.killed@1", { reason: "" }),
          fact("session.forgotten@1", {}),
        ]);
        expect(await at.store.sessionIdsLike("calm-otter-02")).toEqual([second]);
        expect(await at.store.sessionIdsLike(third)).toEqual([]);
      },
    );

    proves("LOG-9", "lists go page by page, sessions from the newest", async () => {
      await using at = await open();
      const ids: string[] = [];
      for (let n = 0; n < 7; n += 1) ids.push((await openSession(at.store)).slice(sessionStream("").length));
      const seen: string[] = [];
      for (;;) {
        const after = seen.at(-1);
        const page = await at.store.rows("session", { limit: 3, ...(after === undefined ? {} : { after }) });
        if (page.length === 0) break;
        seen.push(...page.map((row): string => JSON.parse(row).id));
      }
      expect(seen).toEqual(ids.toReversed());
      for (const slug of ["b", "a", "c"])
        await appendTo(at.store, agentStream(slug), [
          fact("agent.created@1", { slug, name: slug, driver: "demo", tools: {}, builtIn: false }),
        ]);
      const agents = await at.store.rows("agent", { limit: 2, after: "a" });
      expect(agents.map((row): string => JSON.parse(row).agent.slug)).toEqual(["b", "c"]);
      expect(await at.store.row("agent", "nobody")).toBeNull();
    });

    proves("LOG-11", "a token is found by the hash of its secret until it is revoked", async () => {
      await using at = await open();
      const issued = { label: "l", capabilities: ["*"], sessionId: null, expiresAtMs: null };
      await appendTo(at.store, tokenStream("k1"), [
        fact("token.issued@1", { tokenId: "k1", secretHash: "hash-1", ...issued }),
      ]);
      await appendTo(at.store, tokenStream("k2"), [
        fact("token.issued@1", { tokenId: "k2", secretHash: "hash-2", ...issued }),
      ]);
      const found = JSON.parse((await at.store.tokenBySecretHash("hash-1")) ?? "null");
      expect(found).toMatchObject({ at: "valid", token: { tokenId: "k1" } });
      expect(await at.store.tokenBySecretHash("hash-3")).toBeNull();
      await appendTo(at.store, tokenStream("k1"), [fact("token.revoked@1", {})]);
      expect(await at.store.tokenBySecretHash("hash-1")).toBeNull();
      await at.reopen();
      expect(await at.store.tokenBySecretHash("hash-2")).not.toBeNull();
    });

    proves(
      "LOG-11",
      "words are found as soon as they are in the log, all of them, the last one also by its beginning",
      async () => {
        await using at = await open();
        const stream = await openSession(at.store, "calm-otter-07");
        const other = await openSession(at.store, "keen-crane-08");
        const body = { text: "The migration of the ledger is done", blob: null, bytes: 35 };
        await appendTo(at.store, stream, [admitted("t1", "Please migrate the ledger, and mind the gaps")]);
        await appendTo(at.store, other, [fact("message.completed@1", { turnId: "t1", role: "assistant", ...body })]);
        const hits = async (text: string): Promise<readonly string[]> =>
          (await at.store.search(text, 10)).map(({ sessionId }) => sessionStream(sessionId));
        expect(await hits("ledger")).toEqual([other, stream]);
        expect(await hits("ledger migr")).toEqual([other, stream]);
        expect(await hits("ledger gaps")).toEqual([stream]);
        expect(await hits("LEDGER done")).toEqual([other]);
        expect(await hits("otter")).toEqual([stream]);
        expect(await hits("nothing like it")).toEqual([]);
        for (const odd of ["", "   ", '"', "*", "NOT", 'a" OR "b', "^", "-", "ledger AND"])
          expect(Array.isArray(await at.store.search(odd, 10))).toBe(true);
        expect(await at.store.search("ledger", 1)).toHaveLength(1);
        await at.reopen();
        await appendTo(at.store, stream, [admitted("t2", "once more the ledger")]);
        expect(await hits("ledger")).toEqual([stream, other, stream]);
      },
    );

    proves("LOG-11", "an event is found by its id and by nothing that only looks like it", async () => {
      await using at = await open();
      const [first] = await appendTo(at.store, await openSession(at.store), [note(1)]);
      const id = first?.id ?? "";
      expect(await at.store.event(id)).toEqual(first);
      for (const odd of [`${id}zz`, id.toUpperCase(), id.replaceAll("-", ""), id.slice(1), "", "zz", newId()])
        expect(await at.store.event(odd)).toBeNull();
    });
  });
}
