import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import {
  type Event,
  eventsOf,
  expectOk,
  expectRefusal,
  idle,
  PATIENCE,
  prompt,
  type Session,
  show,
  start,
  turn,
  typesOf,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

interface Page {
  readonly events: readonly Event[];
  readonly next: number | null;
}
interface Rewound extends Session {
  readonly irrevocable: readonly { readonly effectId: string; readonly kind: string }[];
}

const page = async (id: string, query: string): Promise<Page> =>
  expectOk(await daemon.call<Page>("GET", `/sessions/${id}/events?${query}`));
const said = async (id: string, query = ""): Promise<readonly unknown[]> =>
  (await eventsOf(daemon, id, query))
    .filter(({ type }) => type === "message.completed@1")
    .map(({ data }) => data["text"]);
const eventSaying = async (id: string, text: string): Promise<Event> => {
  const found = (await eventsOf(daemon, id)).find(({ data }) => data["text"] === text);
  if (found === undefined) throw new Error(`nobody said ${text}`);
  return found;
};
const fork = async (id: string, body: object = {}): Promise<Session> =>
  expectOk(await daemon.call<Session>("POST", `/sessions/${id}/fork`, body), 201);
const rewind = async (id: string, to: string): Promise<Rewound> =>
  expectOk(await daemon.call<Rewound>("POST", `/sessions/${id}/rewind`, { to }));
const writeArtifact = async (
  id: string,
  path: string,
  content: string,
): Promise<{ version: number; eventId: string }> =>
  expectOk(await daemon.call("POST", `/sessions/${id}/artifacts`, { path, content }), 201);
const artifactsOf = async (id: string): Promise<readonly { path: string; version: number; artifactId: string }[]> =>
  expectOk(await daemon.call<{ artifacts: [] }>("GET", `/sessions/${id}/artifacts`)).artifacts;

proves("S11", "an event has the fields of the wire, and each is chained to the one before", async () => {
  const { id } = await start(daemon);
  await turn(daemon, id, "say hello");
  const events = await eventsOf(daemon, id);
  for (const [at, event] of events.entries()) {
    expect(Object.keys(event).sort()).toEqual(
      ["actor", "at", "cause", "data", "hash", "id", "prev", "seq", "stream", "type", "version"].sort(),
    );
    expect(event).toMatchObject({ stream: `session/${id}`, version: at + 1 });
    expect(event.prev).toBe(at === 0 ? "0".repeat(64) : events[at - 1]?.hash);
    expect(expectOk(await daemon.call("GET", `/api/events/${event.id}`))).toEqual(event);
  }
});

proves("S11", "a cursor is a next, a seq or an event id, and excludes itself; a limit is clamped", async () => {
  const { id } = await start(daemon);
  for (let at = 0; at < 4; at += 1) await turn(daemon, id, `say ${at}`);
  const all = await eventsOf(daemon, id);
  const first = await page(id, "limit=3");
  expect(first.events).toEqual(all.slice(0, 3));
  const third = all[2];
  for (const after of [first.next, third?.seq, third?.id])
    expect((await page(id, `limit=5&after=${after}`)).events).toEqual(all.slice(3, 8));
  expect((await page(id, `after=${all.at(-1)?.seq}`)).events).toEqual([]);
  expect((await page(id, "limit=1000000")).events).toEqual(all);
  expectRefusal(await daemon.call("GET", `/sessions/${id}/events?limit=0`), 400, "invalid_request");
  expectRefusal(await daemon.call("GET", `/sessions/${id}/events?limit=many`), 400, "invalid_request");
  for (const after of ["nonsense", "-1", "1.5", randomUUID(), "1e3"])
    expectRefusal(await daemon.call("GET", `/sessions/${id}/events?after=${after}`), 404, "event_not_found");
  expect((await page(id, "after=999999999999")).events).toEqual([]);
});

proves("S11", "more than 1,000 events come in pages of at most 1,000", async () => {
  const { id } = await start(daemon);
  const events = Array.from({ length: 100 }, (_, at) => ({ type: "note", payload: at }));
  for (let round = 0; round < 11; round += 1)
    expectOk(await daemon.call("POST", `/sessions/${id}/events`, { events }), 201);
  const first = await page(id, "limit=5000");
  expect(first.events).toHaveLength(1000);
  const rest = await page(id, `limit=5000&after=${first.next}`);
  expect(rest.next).toBeNull();
  const payloads = [...first.events, ...rest.events].flatMap(({ type, data }) =>
    type === "x.note@1" ? [data["payload"]] : [],
  );
  expect(payloads).toEqual(Array.from({ length: 11 }, () => events.map(({ payload }) => payload)).flat());
});

proves("S11", "pages can be filtered by type and turn, and read backwards", async () => {
  const { id } = await start(daemon);
  const { turnId } = await turn(daemon, id, "say one");
  await turn(daemon, id, "say two");
  const all = await eventsOf(daemon, id);
  expect((await page(id, "order=desc&limit=1000")).events).toEqual([...all].reverse());
  const last = await page(id, "order=desc&limit=2");
  expect(last.events).toEqual([...all].reverse().slice(0, 2));
  expect((await page(id, `order=desc&limit=2&after=${last.next}`)).events).toEqual([...all].reverse().slice(2, 4));
  expect(typesOf(await eventsOf(daemon, id, `turnId=${turnId}`))).toEqual([
    "turn.admitted@1",
    "turn.started@1",
    "snapshot.taken@1",
    "message.completed@1",
    "turn.ended@1",
  ]);
  for (const types of ["message.completed", "message.completed@1"])
    expect(await eventsOf(daemon, id, `types=${types}`)).toHaveLength(2);
  expect(await eventsOf(daemon, id, "types=message.completed,turn.ended")).toHaveLength(4);
  expect(await eventsOf(daemon, id, "types=message")).toEqual([]);
});

proves("S8", "a fork continues its parent's chain at that event, and copies nothing", async () => {
  const parent = await start(daemon);
  for (const text of ["one", "two", "three"]) await turn(daemon, parent.id, `say ${text}`);
  const at = await eventSaying(parent.id, "two");
  const forked = await fork(parent.id, { at: at.id });
  expect(forked.forkedFrom).toEqual({ sessionId: parent.id, eventId: at.id });
  const own = await eventsOf(daemon, forked.id);
  expect(own[0]).toMatchObject({ type: "session.forked@1", version: 1, prev: at.hash });
  expect(await said(forked.id, "view=path")).toEqual(["one", "two"]);
  await turn(daemon, forked.id, "say branch");
  expect(await said(forked.id, "view=path")).toEqual(["one", "two", "branch"]);
  expect(await said(parent.id)).toEqual(["one", "two", "three"]);
  expect((await fork(parent.id)).forkedFrom?.eventId).toBe((await show(daemon, parent.id)).head);
});

proves("S8", "a fork has the artifacts and todo of its point, and its writes do not reach the parent", async () => {
  const parent = await start(daemon);
  await writeArtifact(parent.id, "plan.md", "first");
  const second = await writeArtifact(parent.id, "plan.md", "second");
  await writeArtifact(parent.id, "plan.md", "third");
  await writeArtifact(parent.id, "later.md", "x");
  const forked = await fork(parent.id, { at: second.eventId });
  expect(await artifactsOf(forked.id)).toMatchObject([{ path: "plan.md", version: 2 }]);
  const path = `/sessions/${forked.id}/artifacts/content?path=plan.md`;
  expect(expectOk(await daemon.call("GET", path))).toMatchObject({ content: "second" });
  expectRefusal(await daemon.call("GET", `${path}&version=3`), 404, "artifact_not_found");
  await writeArtifact(forked.id, "plan.md", "other third");
  expect((await artifactsOf(parent.id)).map(({ version }) => version)).toEqual([3, 1]);
});

proves("S8", "a fork of a fork of a fork can be forked and rewound at any ancestor's event on its path", async () => {
  let session = await start(daemon);
  const points: Event[] = [];
  for (let depth = 0; depth < 4; depth += 1) {
    await turn(daemon, session.id, `say level ${depth}`);
    points.push(await eventSaying(session.id, `level ${depth}`));
    await turn(daemon, session.id, `say beyond ${depth}`);
    session = await fork(session.id, { at: points.at(-1)?.id });
  }
  expect(await said(session.id, "view=path")).toEqual(["level 0", "level 1", "level 2", "level 3"]);
  const back = await rewind(session.id, points[1]?.id ?? "");
  expect(back.id).toBe(session.id);
  expect(await said(session.id, "view=path")).toEqual(["level 0", "level 1"]);
  const again = await fork(session.id, { at: points[0]?.id });
  expect(await said(again.id, "view=path")).toEqual(["level 0"]);
});

proves("S9", "a rewind moves the head back, deletes nothing, and any event can be its target", async () => {
  const { id } = await start(daemon);
  for (const text of ["one", "two", "three"]) await turn(daemon, id, `say ${text}`);
  const before = await eventsOf(daemon, id);
  const [one, three] = [await eventSaying(id, "one"), await eventSaying(id, "three")];
  await rewind(id, one.id);
  expect(await said(id, "view=path")).toEqual(["one"]);
  expect((await eventsOf(daemon, id)).slice(0, before.length)).toEqual(before);
  await turn(daemon, id, "say other");
  expect(await said(id, "view=path")).toEqual(["one", "other"]);
  await rewind(id, three.id);
  expect(await said(id, "view=path")).toEqual(["one", "two", "three"]);
  await rewind(id, (await eventSaying(id, "other")).id);
  expect(await said(id, "view=path")).toEqual(["one", "other"]);
  expect(await said(id)).toEqual(["one", "two", "three", "other"]);
});

proves("S9", "the path can be paged, and each page continues where the last ended", async () => {
  const { id } = await start(daemon);
  for (const text of ["one", "two", "three"]) await turn(daemon, id, `say ${text}`);
  await rewind(id, (await eventSaying(id, "one")).id);
  await turn(daemon, id, "say four");
  const forked = await fork(id);
  await turn(daemon, forked.id, "say five");
  const whole = await eventsOf(daemon, forked.id, "view=path");
  expect(await said(forked.id, "view=path")).toEqual(["one", "four", "five"]);
  const pieces: Event[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const next: Page = await page(forked.id, `view=path&limit=2&after=${after}`);
    pieces.push(...next.events);
    after = next.next;
  }
  expect(pieces).toEqual(whole);
});

proves("S9", "the path can be filtered and read backwards like the raw stream", async () => {
  const { id } = await start(daemon);
  const { turnId } = await turn(daemon, id, "say one");
  await turn(daemon, id, "say two");
  await rewind(id, (await eventSaying(id, "one")).id);
  await turn(daemon, id, "say three");
  const path = await eventsOf(daemon, id, "view=path");
  const messages = path.filter(({ type }) => type === "message.completed@1");
  expect((await page(id, "view=path&types=message.completed&limit=100")).events).toEqual(messages);
  const inTurn = path.filter(({ data }) => data["turnId"] === turnId);
  expect((await page(id, `view=path&turnId=${turnId}&limit=100`)).events).toEqual(inTurn);
  expect((await page(id, "view=path&order=desc&limit=1000")).events).toEqual([...path].reverse());
});

proves("S9", "effects after the point are not undone, and the answer lists them", async () => {
  const { id } = await start(daemon);
  await turn(daemon, id, "say base\nrun echo before");
  const base = (await eventsOf(daemon, id, "types=turn.ended")).at(-1);
  await turn(daemon, id, "write a.txt one\nrun echo after");
  const forked = await fork(id);
  await turn(daemon, forked.id, "run echo in the fork");
  const own = await rewind(id, base?.id ?? "");
  expect(own.irrevocable.map(({ kind }) => kind)).toEqual(["write", "run"]);
  const inFork = await rewind(forked.id, base?.id ?? "");
  expect(inFork.irrevocable.map(({ kind }) => kind)).toEqual(["write", "run", "run"]);
});

proves("S9", "artifact versions only rise, also after a rewind", async () => {
  const { id } = await start(daemon);
  const first = await writeArtifact(id, "a", "1");
  await writeArtifact(id, "a", "2");
  await writeArtifact(id, "a", "3");
  await rewind(id, first.eventId);
  expect(await artifactsOf(id)).toMatchObject([{ path: "a", version: 1 }]);
  expect(await writeArtifact(id, "a", "4")).toMatchObject({ version: 4 });
});

proves("S9", "a busy session cannot be rewound", async () => {
  const { id, head } = await start(daemon);
  await prompt(daemon, id, "sleep 400");
  expectRefusal(await daemon.call("POST", `/sessions/${id}/rewind`, { to: head }), 409, "session_busy");
  await idle(daemon, id);
  expect((await rewind(id, head ?? "")).id).toBe(id);
});

proves("S12", "a fork or rewind at another session's event is refused", async () => {
  const mine = await start(daemon);
  const other = await start(daemon);
  await turn(daemon, mine.id, "say mine");
  await turn(daemon, other.id, "say other");
  const forked = await fork(mine.id);
  await turn(daemon, mine.id, "say after the fork");
  const foreign = [
    (await eventSaying(other.id, "other")).id,
    randomUUID(),
    "not-an-event",
    "",
    (await eventsOf(daemon, forked.id))[0]?.id,
  ];
  for (const point of foreign) {
    expectRefusal(await daemon.call("POST", `/sessions/${mine.id}/fork`, { at: point }), 404, "event_not_found");
    expectRefusal(await daemon.call("POST", `/sessions/${mine.id}/rewind`, { to: point }), 404, "event_not_found");
  }
  // What the parent did after the fork is not the fork's history.
  const later = (await eventSaying(mine.id, "after the fork")).id;
  expectRefusal(await daemon.call("POST", `/sessions/${forked.id}/rewind`, { to: later }), 404, "event_not_found");
  expectRefusal(await daemon.call("POST", `/sessions/${mine.id}/rewind`, {}), 400, "invalid_request");
});
