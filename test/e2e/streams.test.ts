import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { type Item, readStream } from "./support/stream-reader.ts";
import {
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  idle,
  linesOf,
  PATIENCE,
  prompt,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const seqsIn = (items: readonly Item[]): readonly unknown[] =>
  items.flatMap(({ event, data }) => (event === "event" ? [data["seq"]] : []));
const isEvent = (type: string) => (item: Item) => item.event === "event" && item.data["type"] === type;

proves("H10", "a stream gives history, then live: every event once, in order, with its cursor as id", async () => {
  const { id } = await start(daemon);
  await turn(daemon, id, "say before");
  const reader = await readStream(daemon, `/sessions/${id}/stream`);
  await reader.until("history", isEvent("turn.ended@1"));
  await turn(daemon, id, "say live\nrun echo out; echo err >&2");
  await daemon.call("POST", `/sessions/${id}/kill`);
  await reader.until("the end", ({ event }) => event === "end");
  const events = await eventsOf(daemon, id);
  expect(seqsIn(reader.items)).toEqual(events.map(({ seq }) => seq));
  for (const item of reader.items.filter(({ event }) => event === "event"))
    expect(item.id).toBe(String(item.data["seq"]));
  await eventually("the server closes", async () => reader.isOver());
});

proves("H10", "lines equal the printed output, each before the event it comes from", async () => {
  const { id } = await start(daemon);
  const reader = await readStream(daemon, `/sessions/${id}/stream`);
  await turn(daemon, id, "say first\nsay second\nrun echo to stdout; echo to stderr >&2\nfail with this");
  await reader.until("the turn's end", isEvent("turn.ended@1"));
  const lines = reader.items.filter(({ event }) => event === "line");
  expect(lines.map(({ data }) => data["line"])).toEqual(await linesOf(daemon, id));
  expect(lines.map(({ data }) => data)).toContainEqual({ line: "first", stream: "stdout" });
  expect(lines.map(({ data }) => data)).toContainEqual({ line: "to stderr", stream: "stderr" });
  expect(lines.at(-1)?.data).toEqual({ line: "── turn-end (failed) ──", stream: "stdout" });
});

proves("H10", "text frames and state changes arrive as they happen", async () => {
  const { id } = await start(daemon);
  const reader = await readStream(daemon, `/sessions/${id}/stream`);
  await prompt(daemon, id, "run echo piece one; sleep 0.2; echo piece two\nsay whole");
  await reader.until("a piece", ({ event, data }) => event === "delta" && data["source"] === "stdout");
  await reader.until("busy", ({ event, data }) => event === "status" && data["busy"] === true);
  await idle(daemon, id);
  await reader.until("idle", ({ event, data }) => event === "status" && data["state"] === "idle");
  const pieces = reader.items.filter(({ event }) => event === "delta");
  const printed = pieces.filter(({ data }) => data["source"] === "stdout").map(({ data }) => data["text"]);
  expect(printed.join("")).toBe("piece one\npiece two\n");
  expect(pieces.at(-1)?.data).toMatchObject({ source: "message", text: "whole" });
});

proves("H11", "Last-Event-ID resumes at every position without loss or repeat", async () => {
  const { id } = await start(daemon);
  await turn(daemon, id, "say one\nrun echo two");
  await turn(daemon, id, "say three");
  const seqs = (await eventsOf(daemon, id)).map(({ seq }) => seq);
  for (const [at, seq] of seqs.slice(0, -1).entries()) {
    const reader = await readStream(daemon, `/sessions/${id}/stream`, { "last-event-id": String(seq) });
    await reader.until("the last event", ({ data }) => data["seq"] === seqs.at(-1));
    expect(seqsIn(reader.items)).toEqual(seqs.slice(at + 1));
    reader.close();
  }
});

proves("H11", "readers that come and go while a session works see each event exactly once", async () => {
  const { id } = await start(daemon);
  const seen: unknown[] = [];
  let last = "0";
  const lastTurn = prompt(daemon, id, Array.from({ length: 150 }, (_, at) => `say ${at}`).join("\n"));
  for (let visit = 0; ; visit += 1) {
    const reader = await readStream(daemon, `/sessions/${id}/stream`, { "last-event-id": last });
    await reader.until("something", ({ event }) => event === "event", 5000);
    reader.close();
    const items = [...reader.items];
    seen.push(...seqsIn(items));
    last = items.findLast(({ id: cursor }) => cursor !== null)?.id ?? last;
    if (items.some(isEvent("turn.ended@1"))) break;
    expect(visit).toBeLessThan(500);
  }
  await lastTurn;
  expect(seen).toEqual((await eventsOf(daemon, id)).map(({ seq }) => seq));
});

proves("H11", "the stream of an ended session gives the rest and ends, wherever it is resumed", async () => {
  const { id } = await start(daemon);
  await turn(daemon, id, "say last words");
  await daemon.call("POST", `/sessions/${id}/kill`);
  await daemon.call("POST", `/sessions/${id}/label`, { label: "after its end" });
  const seqs = (await eventsOf(daemon, id)).map(({ seq }) => seq);
  for (const last of ["0", String(seqs.at(-2)), String(seqs.at(-1))]) {
    const reader = await readStream(daemon, `/sessions/${id}/stream`, { "last-event-id": last });
    await reader.until("the end", ({ event }) => event === "end");
    expect(seqsIn(reader.items)).toEqual(seqs.filter((seq) => seq > Number(last)));
    await eventually("the server closes", async () => reader.isOver());
  }
});

proves("H12", "the global stream has every event of every session in one order, and resumes by cursor", async () => {
  const [a, b] = [await start(daemon), await start(daemon)];
  const live = await readStream(daemon, "/api/events");
  await Promise.all([turn(daemon, a.id, "say a\nsay aa"), turn(daemon, b.id, "say b\nrun echo bb")]);
  await live.until("both ends", () => live.items.filter(isEvent("turn.ended@1")).length === 2);
  const seqs = seqsIn(live.items).map(Number);
  expect(seqs).toEqual(seqs.map((_, at) => (seqs[0] ?? 0) + at));
  const again = await readStream(daemon, `/api/events?after=${(seqs[0] ?? 0) - 1}`);
  await again.until("the last", ({ data }) => data["seq"] === seqs.at(-1));
  expect(again.items.slice(0, live.items.length)).toEqual(live.items.slice(0, live.items.length));
  const { entries } = expectOk(
    await daemon.call<{ entries: { seq: number }[] }>(
      "GET",
      `/api/audit/entries?after=${(seqs[0] ?? 0) - 1}&limit=1000`,
    ),
  );
  expect(entries.slice(0, seqs.length).map(({ seq }) => seq)).toEqual(seqs);
});

proves("H12", "a stream of an unknown session is an error, not an empty stream", async () => {
  expectRefusal(await daemon.call("GET", "/sessions/nobody/stream"), 404, "session_not_found");
  const { id } = await start(daemon);
  expectRefusal(await daemon.call("GET", `/sessions/${id}/stream?after=nonsense`), 404, "event_not_found");
  expectRefusal(await daemon.call("GET", "/api/events?after=nonsense"), 404, "event_not_found");
});

proves("H12", "forgetting a watched session ends the stream", async () => {
  const { id } = await start(daemon);
  const reader = await readStream(daemon, `/sessions/${id}/stream`);
  await reader.until("the start", isEvent("session.started@1"));
  await daemon.call("DELETE", `/sessions/${id}`);
  await reader.until("the end", ({ event }) => event === "end");
  await eventually("the server closes", async () => reader.isOver());
});

proves("H19", "a stream ends when its token is revoked, and shows nothing later", async () => {
  const { id } = await start(daemon);
  const ways = [
    { ttlMs: undefined, end: (tokenId: string) => daemon.call("DELETE", `/api/tokens/${tokenId}`) },
    { ttlMs: 1500, end: async () => undefined },
  ];
  for (const { ttlMs, end } of ways) {
    const body = { capabilities: ["session.read"], label: "watcher", ...(ttlMs === undefined ? {} : { ttlMs }) };
    const issued = expectOk(await daemon.call<{ secret: string; tokenId: string }>("POST", "/api/tokens", body), 201);
    const reader = await readStream(daemon, `/sessions/${id}/stream`, { authorization: `Bearer ${issued.secret}` });
    await reader.until("the start", isEvent("session.started@1"));
    await end(issued.tokenId);
    await eventually("the server closes", async () => reader.isOver());
    const seen = reader.items.length;
    await turn(daemon, id, "say for others");
    expect(reader.items).toHaveLength(seen);
  }
});

proves("H22", "a stream of lines only resumes by line ids; a stream of events only has no lines", async () => {
  const { id } = await start(daemon);
  for (const word of ["one", "two", "three"]) await turn(daemon, id, `say ${word}\nsay ${word} again`);
  const whole = await readStream(daemon, `/sessions/${id}/stream?show=lines`);
  const linesIn = (items: readonly Item[]) => items.filter(({ event }) => event === "line");
  await eventually("all lines", async () => linesIn(whole.items).length === 9);
  const lines = linesIn(whole.items);
  expect(new Set(whole.items.map(({ event }) => event))).toEqual(new Set(["status", "line"]));
  for (const [at, { id: cursor }] of lines.entries()) {
    if (cursor === null) continue;
    const rest = await readStream(daemon, `/sessions/${id}/stream?show=lines`, { "last-event-id": cursor });
    const wanted = lines.slice(at + 1).map(({ data }) => data["line"]);
    const found = () => linesIn(rest.items).map(({ data }) => data["line"]);
    await eventually("the rest", async () => found().length >= wanted.length);
    expect(found()).toEqual(wanted);
    rest.close();
  }
  const events = await readStream(daemon, `/sessions/${id}/stream?show=events`);
  await prompt(daemon, id, "say four");
  await events.until("the last turn", ({ data }) => Reflect.get(Object(data["data"]), "text") === "four");
  expect(new Set(events.items.map(({ event }) => event))).toEqual(new Set(["event"]));
});

proves(
  "H10",
  "a watcher of all sessions sees each as it is after a change, what it does, and its questions",
  async () => {
    const reader = await readStream(daemon, "/api/sessions/stream");
    const { id } = await start(daemon);
    const ofSession = (item: Item) => item.event === "session" && item.data["id"] === id;
    await reader.until("it is there", ofSession);
    await turn(daemon, id, "say one\nsay two");
    await reader.until("its last line", (item) => ofSession(item) && item.data["doing"] === "two");
    await reader.until("it idles", (item) => ofSession(item) && item.data["state"] === "idle");
    await prompt(daemon, id, "ask May I?");
    await reader.until("the question", isEvent("approval.requested@1"));
    await reader.until("it waits", (item) => ofSession(item) && item.data["waitingFor"] === "approval");
    const shown = expectOk(await daemon.call("GET", `/sessions/${id}`));
    const last = reader.items.findLast(ofSession)?.data ?? {};
    expect(shown).toMatchObject({ state: last["state"], name: last["name"], busy: last["busy"] });
    await daemon.call("DELETE", `/sessions/${id}`);
    await reader.until("it is gone", (item) => item.event === "gone" && item.data["id"] === id);
    const inSessions = reader.items.filter(isEvent("message.completed@1"));
    expect(inSessions).toEqual([]);
  },
);
