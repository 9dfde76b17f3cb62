import { describe, expect } from "vitest";
import { SYSTEM_STREAM, systemFact } from "../../../src/domains/index.ts";
import { fact, LIMITS } from "../../../src/kernel/index.ts";
import type { AppendPart, CallRef, RecordedEvent, Store } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { appendTo, event, everyEvent, newId, note, opened, openSession } from "../../support/store-home.ts";
import type { OpenStore } from "./describe-store.ts";

export function describeAppend(open: OpenStore): void {
  describe("append", () => {
    proves("LOG-1", "an append over several streams is atomic: all of it is stored, or nothing", async () => {
      await using at = await open();
      const [one, two, three] = [await openSession(at.store), await openSession(at.store), `session/${newId()}`];
      const parts: readonly AppendPart[] = [
        { stream: one, expectedVersion: 1, events: [event(note(1)), event(note(2))] },
        { stream: two, expectedVersion: 1, events: [event(note(3))] },
        { stream: three, expectedVersion: 0, events: [event(opened())] },
      ];
      const before = await everyEvent(at.store);
      for (const spoilt of [0, 1, 2]) {
        const stale = parts.map((part, n) => (n === spoilt ? { ...part, expectedVersion: 7 } : part));
        await expect(at.store.append(stale, { fence: 0 })).rejects.toMatchObject({ code: "stale_version" });
      }
      expect(await everyEvent(at.store)).toEqual(before);
      const written = await at.store.append(parts, { fence: 0 });
      expect(written.map(({ stream, version }) => [stream, version])).toEqual([
        [one, 2],
        [one, 3],
        [two, 2],
        [three, 1],
      ]);
      expect(await everyEvent(at.store)).toEqual([...before, ...written]);
    });

    proves("LOG-1", "an append that names a stream twice, or has no events, is refused", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const part = { stream, expectedVersion: 1, events: [event(note(1))] };
      const again = { ...part, events: [event(note(2))] };
      await expect(at.store.append([part, again], { fence: 0 })).rejects.toMatchObject({ code: "stale_version" });
      await expect(at.store.append([{ ...part, events: [] }], { fence: 0 })).rejects.toMatchObject({
        code: "event_not_found",
      });
      expect(await at.store.version(stream)).toBe(1);
    });

    proves("LOG-22", "an append is refused when a stream that it only checked has moved", async () => {
      await using at = await open();
      const [changed, looked] = [await openSession(at.store), await openSession(at.store)];
      const missing = `session/${newId()}`;
      const expected = [
        { stream: looked, version: 1 },
        { stream: missing, version: 0 },
      ];
      const write = (expect: typeof expected) =>
        at.store.append([{ stream: changed, expectedVersion: 1, events: [event(note(1))] }], { fence: 0, expect });
      for (const spoilt of [0, 1]) {
        const moved = expected.map((one, n) => (n === spoilt ? { ...one, version: one.version + 1 } : one));
        const details = { stream: moved[spoilt]?.stream, expected: moved[spoilt]?.version };
        await expect(write(moved)).rejects.toMatchObject({ code: "stale_version", details });
      }
      await appendTo(at.store, looked, [note(2)], 0);
      const before = await everyEvent(at.store);
      const details = { stream: looked, expected: 1, found: 2 };
      await expect(write(expected)).rejects.toMatchObject({ code: "stale_version", details });
      await at.reopen();
      await expect(write(expected)).rejects.toMatchObject({ code: "stale_version", details });
      expect(await everyEvent(at.store)).toEqual(before);
      await write([{ stream: looked, version: 2 }]);
      expect(await at.store.version(changed)).toBe(2);
      expect(await at.store.version(looked)).toBe(2);
    });

    proves("LOG-2", "an append can bring the fold it was decided on; an old fold is stale", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const before = await at.store.foldStream(stream);
      const write = (expectedVersion: number) =>
        at.store.append([{ stream, expectedVersion, events: [event(note("by fold"))], before }], { fence: 0 });
      await expect(write(2)).rejects.toMatchObject({ code: "stale_version" });
      await write(1);
      const after = await at.store.foldStream(stream);
      expect(after.state.version).toBe(2);
      await expect(write(1)).rejects.toMatchObject({ code: "stale_version", details: { expected: 1, found: 2 } });
      expect(await (await at.reopen()).foldStream(stream)).toEqual(after);
    });

    proves(
      "LOG-22",
      "events of the same flush count against an append that expected their stream unchanged",
      async () => {
        await using at = await open();
        const [looked, ...changed] = await Promise.all(Array.from({ length: 6 }, () => openSession(at.store)));
        const stream = looked ?? "";
        const expect_ = [{ stream, version: 1 }];
        const ends = await Promise.allSettled([
          ...changed.slice(0, 2).map((one) => write(one)),
          at.store.append([{ stream, expectedVersion: 1, events: [event(note("moved"))] }], { fence: 0 }),
          ...changed.slice(2).map((one) => write(one)),
        ]);
        const [one, two, moved, ...late] = ends.map(({ status }) => status);
        expect([one, two, moved]).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
        expect(late).toEqual(["rejected", "rejected", "rejected"]);

        function write(to: string) {
          const part = { stream: to, expectedVersion: 1, events: [event(note(1))] };
          return at.store.append([part], { fence: 0, expect: expect_ });
        }
      },
    );

    proves("LOG-2", "of many appends with the same expected version exactly one succeeds", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const tries = Array.from({ length: 20 }, (_, n) =>
        at.store.append([{ stream, expectedVersion: 1, events: [event(note(n))] }], { fence: 0 }),
      );
      const ends = await Promise.allSettled(tries);
      expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const end of ends)
        if (end.status === "rejected") expect(end.reason).toMatchObject({ code: "stale_version" });
      expect(await at.store.version(stream)).toBe(2);
    });

    proves("LOG-2", "a refusal names the version that was found; a version that is too high is stale too", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      for (const expectedVersion of [0, 2, 100])
        await expect(
          at.store.append([{ stream, expectedVersion, events: [event(note(1))] }], { fence: 0 }),
        ).rejects.toMatchObject({ code: "stale_version", details: { stream, expected: expectedVersion, found: 1 } });
    });

    proves(
      "LOG-2",
      "an event that is already in the log is not written again, and other events of the append are not affected",
      async () => {
        await using at = await open();
        const streams = [await openSession(at.store), await openSession(at.store), await openSession(at.store)];
        const twice = event(note("twice"));
        await at.store.append([{ stream: streams[0] ?? "", expectedVersion: 1, events: [twice] }], { fence: 0 });
        const ends = await Promise.allSettled(
          streams.map((stream, n) =>
            at.store.append(
              [{ stream, expectedVersion: n === 0 ? 2 : 1, events: [n === 1 ? twice : event(note(n))] }],
              { fence: 0 },
            ),
          ),
        );
        expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
        expect((await everyEvent(at.store)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
      },
    );

    proves("LOG-3", "the fence only rises, and a holder of an older one can no longer write", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const take = (fence: number, at_ = fence) =>
        appendTo(
          at.store,
          SYSTEM_STREAM,
          [systemFact("lease.acquired@1", { resource: "home", holder: "h", fence })],
          at_,
        );
      const write = (fence: number) => appendTo(at.store, stream, [note(fence)], fence);
      const stale = { code: "stale_fence" };
      await take(3);
      await expect(write(0)).rejects.toMatchObject(stale);
      await expect(write(4)).rejects.toMatchObject(stale);
      await expect(take(3)).rejects.toMatchObject(stale);
      await expect(take(2)).rejects.toMatchObject(stale);
      await expect(take(5, 4)).rejects.toMatchObject(stale);
      await write(3);
      await at.reopen();
      await expect(write(2)).rejects.toMatchObject(stale);
      await take(4);
      await expect(write(3)).rejects.toMatchObject({ ...stale, details: { fence: 3, current: 4 } });
      await write(4);
      expect(await at.store.version(stream)).toBe(3);
    });

    proves(
      "LOG-4",
      "a repeated call gets its recorded events; another request under the same key is refused",
      async () => {
        await using at = await open();
        const [one, two] = [await openSession(at.store), await openSession(at.store)];
        const call = callRef(1, 1);
        expect(await at.store.findCall(call)).toBeNull();
        const written = await at.store.append(
          [
            { stream: one, expectedVersion: 1, events: [event(note(1)), event(note(2))] },
            { stream: two, expectedVersion: 1, events: [event(note(3), { cause: "its own" })] },
          ],
          { fence: 0, call },
        );
        expect(written.map(({ cause }) => cause)).toEqual([causeOf(call), causeOf(call), "its own"]);
        const proveFound = async (store: Store): Promise<void> => {
          expect(await store.findCall(call)).toEqual(written);
          await expect(store.findCall(callRef(1, 2))).rejects.toMatchObject({ code: "idempotency_key_reused" });
          await expect(again(store, one, callRef(1, 2))).rejects.toMatchObject({ code: "idempotency_key_reused" });
          await expect(again(store, one, call)).rejects.toMatchObject({ code: "stale_version" });
          expect(await store.findCall(callRef(2, 1))).toBeNull();
        };
        await proveFound(at.store);
        await proveFound(await at.reopen());
        expect(await at.store.version(one)).toBe(3);
      },
    );

    proves("LOG-4", "a call asked twice at the same time is carried out once", async () => {
      await using at = await open();
      const streams = [await openSession(at.store), await openSession(at.store)];
      const call = callRef(3, 3);
      const ends = await Promise.allSettled(streams.map((stream) => again(at.store, stream, call)));
      expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      expect(await at.store.findCall(call)).toHaveLength(1);
    });

    proves("LOG-4", "a refused append does not use up its key", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const call = callRef(4, 4);
      const stale = [{ stream, expectedVersion: 9, events: [event(note(1))] }];
      await expect(at.store.append(stale, { fence: 0, call })).rejects.toMatchObject({ code: "stale_version" });
      expect(await at.store.findCall(call)).toBeNull();
      expect(await again(at.store, stream, call)).toHaveLength(1);
    });

    proves("LOG-5", "listeners get every append once, in commit order, after the flush", async () => {
      await using at = await open();
      const heard: RecordedEvent[] = [];
      const stop = at.store.onAppend((events) => heard.push(...events));
      const streams = await Promise.all(Array.from({ length: 8 }, () => openSession(at.store)));
      const writer = async (stream: string): Promise<void> => {
        for (let n = 0; n < 20; n += 1) await appendTo(at.store, stream, [note(n)]);
      };
      await Promise.all(streams.map(writer));
      const erased = heard.find(({ type }) => type === "x.note@1");
      const gone = event(fact("data.erased@1", { events: [erased?.id ?? ""], reason: "asked for" }));
      await Promise.all([
        at.store.erase(erased?.stream ?? "", [erased?.id ?? ""], gone, { fence: 0 }),
        ...streams.filter((stream) => stream !== erased?.stream).map(writer),
      ]);
      stop();
      await appendTo(at.store, streams[0] ?? "", [note("unheard")]);
      expect(heard.map(({ seq }) => seq)).toEqual(heard.map((_, n) => n + 1));
      expect(heard).toHaveLength((await at.store.lastSeq()) - 1);
    });

    proves("LOG-20", "an event that is too large is refused by its size in bytes, whatever it contains", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const tooLarge = { code: "payload_too_large" };
      await expect(appendTo(at.store, stream, [note("x".repeat(LIMITS.eventDataBytes))])).rejects.toMatchObject(
        tooLarge,
      );
      await expect(appendTo(at.store, stream, [note("ä".repeat(LIMITS.eventDataBytes / 2))])).rejects.toMatchObject(
        tooLarge,
      );
      await appendTo(at.store, stream, [note("ä".repeat(LIMITS.eventDataBytes / 2 - 100))]);
      expect(await at.store.version(stream)).toBe(2);
    });
  });
}

function callRef(key: number, request: number): CallRef {
  const hash = (n: number): string => n.toString(16).padStart(64, "0");
  return { keyHash: hash(key), requestHash: hash(request) };
}

function causeOf(call: CallRef): string {
  return `call:${call.keyHash}:${call.requestHash}`;
}

async function again(store: Store, stream: string, call: CallRef): Promise<readonly RecordedEvent[]> {
  const expectedVersion = await store.version(stream);
  return store.append([{ stream, expectedVersion, events: [event(note("again"))] }], { fence: 0, call });
}
