import { afterAll, beforeAll, expect } from "vitest";
import { proves } from "../../test/support/proves.ts";
import { newRedactor } from "../../test/support/redactor.ts";
import { makeTestHome, newId, SPEC, type TestHome } from "../../test/support/store-home.ts";
import { throwOnFatal } from "../../test/support/store-sqlite.ts";
import { SYSTEM_STREAM, systemFact } from "../domains/index.ts";
import { systemClock } from "../host/index.ts";
import { addCustom, labelSession, openSession, Session, type SessionState, sessionStream } from "../kernel/index.ts";
import { openSqliteStore, type Store } from "../store/index.ts";
import { UNBOUNDED } from "./bounds.ts";
import { type Committer, createCommitter } from "./committer.ts";

let home: TestHome;
let store: Store;
const BY = { actor: "test" };
const clock = systemClock();

const takeFence = async (fence: number): Promise<Committer> => {
  const leased = systemFact("lease.acquired@1", { resource: "home", holder: "test", fence });
  const event = { id: newId(), at: new Date().toISOString(), actor: "test", cause: null, fact: leased };
  const part = { stream: SYSTEM_STREAM, expectedVersion: await store.version(SYSTEM_STREAM), events: [event] };
  await store.append([part], { fence });
  return createCommitter({ store, clock, newId, fence, bounds: UNBOUNDED, redactor: newRedactor() });
};
const open = async (committer: Committer): Promise<string> => {
  const id = newId();
  const input = { spec: SPEC, label: null };
  await committer.change(Session, id, (state) => openSession(state, input), BY);
  return id;
};

beforeAll(async () => {
  home = await makeTestHome();
  store = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
});
afterAll(async () => {
  await store.close();
  await home[Symbol.asyncDispose]();
});

proves("E1", "changes of one stream run in order of arrival, each on the state the last one left", async () => {
  const committer = await takeFence(1);
  const id = await open(committer);
  const seen: number[] = [];
  const changes = Array.from({ length: 100 }, (_, at) =>
    committer.session(
      id,
      (state) => {
        seen.push(state.version);
        return at % 10 === 3
          ? { refused: "session_busy", details: {} }
          : addCustom(state, null, [{ type: "x.note@1", payload: at }]);
      },
      BY,
    ),
  );
  const settled = await Promise.allSettled(changes);
  expect(settled.filter(({ status }) => status === "rejected")).toHaveLength(10);
  // A refused change leaves the version unchanged; each other change sees the version of the one before it.
  expect(seen).toEqual(seen.map((_, at) => at + 1 - Math.ceil(Math.max(0, at - 3) / 10)));
  const page = await store.readStream(sessionStream(id), { limit: 1000, types: ["x.note"] });
  expect(page.events.map(({ data }) => Object(data).payload)).toEqual(
    Array.from({ length: 100 }, (_, at) => at).filter((at) => at % 10 !== 3),
  );
});

proves("E1", "a decision that throws or decides nothing does not block the next one", async () => {
  const committer = await takeFence(2);
  const id = await open(committer);
  const bug = committer.session(
    id,
    () => {
      throw new Error("a bug");
    },
    BY,
  );
  const nothing = committer.session(id, () => [], BY);
  const change = committer.session(id, (state) => labelSession(state, "done"), BY);
  await expect(bug).rejects.toThrow("a bug");
  expect((await nothing).events).toEqual([]);
  expect((await change).events).toMatchObject([{ type: "session.labelled@1", actor: "test" }]);
});

proves("E2", "a committer with an older fence can no longer write", async () => {
  const old = await takeFence(3);
  const id = await open(old);
  const now = await takeFence(4);
  await expect(old.session(id, (state) => labelSession(state, "late"), BY)).rejects.toMatchObject({
    code: "stale_fence",
  });
  await now.session(id, (state) => labelSession(state, "in time"), BY);
  expect((await now.sessionState(id)).label).toBe("in time");
});

proves("E2", "a decision on an older version is refused", async () => {
  const committer = await takeFence(5);
  const id = await open(committer);
  const stream = sessionStream(id);
  const note = (payload: string) => ({
    id: newId(),
    at: new Date().toISOString(),
    actor: "test",
    cause: null,
    fact: { type: "x.note@1" as const, data: { turnId: null, payload } },
  });
  await store.append([{ stream, expectedVersion: 1, events: [note("first")] }], { fence: 5 });
  const late = store.append([{ stream, expectedVersion: 1, events: [note("late")] }], { fence: 5 });
  await expect(late).rejects.toMatchObject({ code: "stale_version" });
  expect(await store.version(stream)).toBe(2);
});

proves("E1", "events are erased only out of the stream that is named, once, and under the fence", async () => {
  const committer = await takeFence(6);
  const [id, other] = [await open(committer), await open(committer)];
  const noted = (payload: string) => (state: SessionState) => addCustom(state, null, [{ type: "x.note@1", payload }]);
  const [secret] = (await committer.session(id, noted("secret"), BY)).events;
  const [foreign] = (await committer.session(other, noted("foreign"), BY)).events;
  const erase = (...ids: readonly (string | undefined)[]) =>
    committer.erase(
      Session,
      id,
      ids.map((one) => one ?? ""),
      "asked",
      BY,
    );
  for (const [unknown, ids] of [
    [foreign?.id, [secret?.id, foreign?.id]],
    ["no such event", ["no such event"]],
  ] as const)
    await expect(erase(...ids)).rejects.toMatchObject({ code: "event_not_found", details: { eventId: unknown } });
  expect((await store.event(secret?.id ?? ""))?.data).toMatchObject({ payload: "secret" });
  expect(await erase(secret?.id)).toMatchObject([{ type: "data.erased@1", actor: "test" }]);
  expect((await store.event(secret?.id ?? ""))?.data).toBeNull();
  expect((await store.event(foreign?.id ?? ""))?.data).toMatchObject({ payload: "foreign" });
  await takeFence(7);
  const late = committer.erase(Session, other, [foreign?.id ?? ""], "asked", BY);
  await expect(late).rejects.toMatchObject({ code: "stale_fence" });
});

proves("E1", "work that holds a stream alone changes it before everything that waits", async () => {
  const committer = await takeFence(8);
  const id = await open(committer);
  const order: string[] = [];
  const label = (text: string) => (state: SessionState) => {
    order.push(text);
    return labelSession(state, text);
  };
  const held = committer.alone(Session, id, async ({ state, change }) => {
    const waiting = committer.session(id, label("waiting"), BY);
    await new Promise((soon) => setImmediate(soon));
    const events = await change(label("own"), BY);
    return { events, label: (await state()).label, waiting };
  });
  const { events, label: seen, waiting } = await held;
  await waiting;
  expect([order, seen, events.map(({ type }) => type)]).toEqual([["own", "waiting"], "own", ["session.labelled@1"]]);
  await expect(committer.sessionState(newId())).rejects.toMatchObject({ code: "session_not_found" });
});
