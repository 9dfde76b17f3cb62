import { describe, expect } from "vitest";
import { APPROVALS, type Fact, fact, SESSIONS, Session, sessionStream } from "../../../src/kernel/index.ts";
import type { RecordedEvent, Store } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { admitted, appendTo, event, everyEvent, newId, note, opened, openSession } from "../../support/store-home.ts";
import type { OpenedStore, OpenStore } from "./describe-store.ts";

export function describeErasure(open: OpenStore): void {
  describe("erasure", () => {
    proves("LOG-10", "erased data is gone from every place, and the chain still verifies", async () => {
      await using at = await open();
      const canary = `canary${newId().replaceAll("-", "")}`;
      const stream = sessionStream(newId());
      const secrets = await plant(at, stream, canary);
      expect(await at.store.search(canary, 10, Session)).not.toEqual([]);
      expect(await at.tracesOf(canary)).not.toEqual([]);
      const before = await everyEvent(at.store);

      await erase(at.store, stream, secrets);

      expect(await at.tracesOf(canary)).toEqual([]);
      expect(await at.store.search(canary, 10, Session)).toEqual([]);
      const after = await everyEvent(at.store);
      const gone = new Set(secrets.map(({ id }) => id));
      expect(after.slice(0, -1)).toEqual(
        before.map((found) => (gone.has(found.id) ? { ...found, data: null } : found)),
      );
      expect(after.at(-1)).toMatchObject({ type: "data.erased@1", stream, data: { events: [...gone] } });
      for (const restart of [false, true]) {
        const store = restart ? await at.reopen() : at.store;
        expect(JSON.stringify(await store.foldStream(stream))).not.toContain(canary);
        expect(JSON.stringify(await store.foldStream(stream, 600))).not.toContain(canary);
        expect(JSON.stringify(await store.rows(SESSIONS, { limit: 10 }))).not.toContain(canary);
        expect(await store.rows(APPROVALS, { limit: 10 })).toEqual([]);
        expect(await store.verify()).toMatchObject({ ok: true, events: after.length });
        expect((await store.rebuild(null)).differences).toEqual([]);
      }
      expect(await at.tracesOf(canary)).toEqual([]);
    });

    proves("LOG-10", "a session and its lists go on after an erasure", async () => {
      await using at = await open();
      const stream = sessionStream(newId());
      const secrets = await plant(at, stream, "canary");
      await erase(at.store, stream, secrets);
      const version = await at.store.version(stream);
      await appendTo(at.store, stream, [fact("session.labelled@1", { label: "fresh" }), ...notes(600)]);
      expect((await at.store.foldStream(stream)).state.version).toBe(version + 601);
      expect(await at.store.foldStream(stream, version + 1)).toMatchObject({ state: { label: "fresh" } });
      expect((await at.store.rebuild(null)).differences).toEqual([]);
    });

    proves("LOG-10", "a session whose first event is erased is in no list", async () => {
      await using at = await open();
      const stream = await openSession(at.store, "calm-otter-99");
      const [first] = (await at.store.readStream(stream, { limit: 1 })).events;
      if (first === undefined) throw new Error("nothing was appended");
      await erase(at.store, stream, [first]);
      expect(await at.store.row(SESSIONS, stream.slice(8))).toBeNull();
      expect(await at.store.rows(SESSIONS, { limit: 2, where: { name: "calm-otter-99" } })).toEqual([]);
      expect(await at.tracesOf("calm-otter-99")).toEqual([]);
      expect((await at.store.rebuild(null)).differences).toEqual([]);
      expect((await at.store.verify()).ok).toBe(true);
    });

    proves("LOG-10", "a blob is removed with the last event that names it, and not before", async () => {
      await using at = await open();
      const [one, two] = [await openSession(at.store), await openSession(at.store)];
      const blob = await at.store.putBlob(Buffer.from("shared bytes ".repeat(100)));
      const [first] = await appendTo(at.store, one, [artifact(blob)]);
      const [second] = await appendTo(at.store, two, [artifact(blob)]);
      if (first === undefined || second === undefined) throw new Error("nothing was appended");
      await erase(at.store, one, [first]);
      expect(await at.store.blob(blob)).not.toBeNull();
      await erase(at.store, two, [second]);
      expect(await at.store.blob(blob)).toBeNull();
      await expect(appendTo(at.store, one, [artifact(blob)])).rejects.toMatchObject({ code: "blob_missing" });
      expect(await at.store.putBlob(Buffer.from("shared bytes ".repeat(100)))).toBe(blob);
      await appendTo(at.store, one, [artifact(blob)]);
      expect(await at.store.blob(blob)).not.toBeNull();
    });

    proves("LOG-10", "an erasure of missing data, or with an older fence, erases nothing", async () => {
      await using at = await open();
      const [one, two] = [await openSession(at.store), await openSession(at.store)];
      const [mine] = await appendTo(at.store, one, [note("mine")]);
      const before = await everyEvent(at.store);
      const ids = [mine?.id ?? ""];
      const said = event(fact("data.erased@1", { events: ids, reason: "asked for" }));
      const notFound = { code: "event_not_found" };
      await expect(at.store.erase(two, ids, said, { fence: 0 })).rejects.toMatchObject(notFound);
      await expect(at.store.erase(one, [...ids, newId()], said, { fence: 0 })).rejects.toMatchObject(notFound);
      await expect(at.store.erase(one, ["not an id"], said, { fence: 0 })).rejects.toMatchObject(notFound);
      await expect(at.store.erase(one, ids, said, { fence: 1 })).rejects.toMatchObject({ code: "stale_fence" });
      expect(await everyEvent(at.store)).toEqual(before);
      await appendTo(at.store, one, [note("the store goes on")]);
    });

    proves(
      "LOG-10",
      "an append that meets an erasure is refused or comes after it: no erased data comes back",
      async () => {
        await using at = await open();
        const stream = sessionStream(newId());
        const [secret] = await appendTo(at.store, stream, [opened("calm-otter-07", "canary label")]);
        await appendTo(at.store, stream, notes(700));
        if (secret === undefined) throw new Error("nothing was appended");
        let isErasing = true;
        const erasing = erase(at.store, stream, [secret]).finally(() => {
          isErasing = false;
        });
        const erased = erasing.then(
          () => true,
          () => false,
        );
        let written = 0;
        while (isErasing) {
          await at.store.foldStream(stream);
          await appendTo(at.store, stream, [note(written)]).then(
            () => {
              written += 1;
            },
            (error: unknown) => expect(error).toMatchObject({ code: "stale_version" }),
          );
          await new Promise((soon) => setImmediate(soon));
        }
        if (!(await erased)) await erase(at.store, stream, [secret]);
        await appendTo(at.store, stream, [note("after")]);
        expect(JSON.stringify(await at.store.foldStream(stream))).not.toContain("canary");
        expect((await at.store.rebuild(null)).differences).toEqual([]);
        expect(await at.tracesOf("canary label")).toEqual([]);
      },
    );
  });
}

/** Puts one secret wherever data can be stored, with enough other writes to move it around. */
async function plant(at: OpenedStore, stream: string, canary: string): Promise<readonly RecordedEvent[]> {
  const { store } = at;
  const others = await Promise.all(Array.from({ length: 8 }, () => openSession(store)));
  const busy = async (rounds: number): Promise<void> => {
    for (let n = 0; n < rounds; n += 1)
      await Promise.all(
        others.map((other) =>
          appendTo(store, other, [fact("session.labelled@1", { label: "l".repeat((n * 37) % 190) }), ...notes(3)]),
        ),
      );
  };
  const blob = await store.putBlob(Buffer.from(`${canary} `.repeat(500)));
  const facts: readonly Fact[] = [
    opened("calm-otter-07", `label ${canary}`),
    admitted("t1", `prompt ${canary}`),
    fact("turn.started@1", { turnId: "t1" }),
    fact("message.completed@1", {
      turnId: "t1",
      role: "assistant",
      text: `${canary} `.repeat(300),
      blob,
      bytes: 9,
    }),
    fact("approval.requested@1", {
      approvalId: "a1",
      turnId: "t1",
      question: `May I ${canary}?`,
      options: ["yes"],
      action: { verb: "tool.run", resource: `path/${canary}` },
      effectId: null,
      checkpoint: { canary },
    }),
    fact("todo.replaced@1", { items: [{ text: `todo ${canary}`, status: "open" }], turnId: "t1" }),
  ];
  const secrets: RecordedEvent[] = [];
  for (const given of facts) {
    secrets.push(...(await appendTo(store, stream, [given])));
    await busy(4);
  }
  for (let n = 0; n < 6; n += 1) {
    secrets.push(
      ...(await appendTo(store, stream, [fact("session.labelled@1", { label: `${canary} ${"l".repeat(n * 20)}` })])),
    );
    await appendTo(store, stream, notes(100));
    await busy(3);
  }
  secrets.push(
    ...(await appendTo(store, stream, [
      fact("approval.answered@1", { approvalId: "a1", turnId: "t1", status: "rejected", option: null, reason: canary }),
    ])),
  );
  return secrets;
}

async function erase(store: Store, stream: string, events: readonly RecordedEvent[]): Promise<void> {
  const ids = events.map(({ id }) => id);
  await store.erase(stream, ids, event(fact("data.erased@1", { events: ids, reason: "asked for" })), { fence: 0 });
}

function artifact(blob: string): Fact {
  const written = { version: 1, blob, bytes: 1300, mediaType: "text/plain" };
  return fact("artifact.written@1", { ...written, path: "notes.txt", artifactId: "f1", turnId: null });
}

function notes(count: number) {
  return Array.from({ length: count }, (_, n) => note(n));
}
