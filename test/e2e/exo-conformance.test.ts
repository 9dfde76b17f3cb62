import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { newHome, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { whenTestEnds } from "../support/test-end.ts";
import { plantDriver } from "./support/driver-file.ts";
import { processesWith, running } from "./support/processes.ts";
import { type Item, readStream } from "./support/stream-reader.ts";
import {
  type Event,
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  expectSound,
  linesOf,
  newFolder,
  PATIENCE,
  prompt,
  type Session,
  show,
  start,
  turn,
  typesOf,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

/** The conformance cases of the exo harness, in Nomos' terms: a conversation is a session, its turns are reported. */
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const open = async (on: TestDaemon = daemon): Promise<Session> => {
  const agent = spawn("sleep", ["1000"]);
  whenTestEnds(() => void agent.kill("SIGKILL"));
  return expectOk(await on.call<Session>("POST", "/sessions/external", { pid: agent.pid }), 201);
};
const begin = async (id: string, input: string, on: TestDaemon = daemon): Promise<string> =>
  expectOk(await on.call<{ turnId: string }>("POST", `/sessions/${id}/turns`, { input }), 201).turnId;
const say = (id: string, turnId: string, text: string, on: TestDaemon = daemon) =>
  on.call<{ ids: string[] }>("POST", `/sessions/${id}/turns/${turnId}/messages`, { text });
const add = (id: string, body: object, on: TestDaemon = daemon) =>
  on.call<{ ids: string[] }>("POST", `/sessions/${id}/events`, body);
const end = (id: string, turnId: string, on: TestDaemon = daemon) =>
  on.call<{ eventId: string }>("POST", `/sessions/${id}/turns/${turnId}/end`, {});
const script = async (text: string, body: object = {}): Promise<Session> =>
  start(daemon, { adapter: "script", file: await plantDriver(text), ...body });

proves(
  "X1",
  "case 1: a turn of a new session is exactly its opening, start, messages and end, in order, each with its actor",
  async () => {
    const { id } = await open();
    const turnId = await begin(id, "task");
    for (const text of ["one", "two"]) expectOk(await say(id, turnId, text), 201);
    expectOk(await end(id, turnId));
    const events = await eventsOf(daemon, id);
    expect(typesOf(events)).toEqual([
      "session.opened@1",
      "session.started@1",
      "turn.admitted@1",
      "turn.started@1",
      "snapshot.taken@1",
      "message.completed@1",
      "message.completed@1",
      "turn.ended@1",
    ]);
    expect(events.map((event) => event.id)).toEqual(events.map((event) => event.id).sort());
    expect(new Set(events.map(({ stream }) => stream))).toEqual(new Set([`session/${id}`]));
    expect(new Set(events.slice(2).map(({ data }) => data["turnId"]))).toEqual(new Set([turnId]));
  },
);

proves("X2", "case 2: ending a turn twice gives the same id and one end; later facts are refused", async () => {
  const { id } = await open();
  const turnId = await begin(id, "task");
  const first = expectOk(await end(id, turnId));
  const second = expectOk(await end(id, turnId));
  expect(second).toEqual(first);
  expect(first.eventId).not.toBe("");
  expect(await eventsOf(daemon, id, "types=turn.ended")).toHaveLength(1);
  expectRefusal(await say(id, turnId, "late"), 409, "turn_ended");
  expectRefusal(await add(id, { turnId, events: [{ type: "note", payload: 1 }] }), 409, "turn_ended");
  expectRefusal(await say(id, "01a1dd00-0000-7000-8000-000000000000", "never"), 404, "turn_not_found");
});

proves("X3", "case 3: facts from outside can interleave with a turn, each with its own actor", async () => {
  const { id } = await open();
  const turnId = await begin(id, "task");
  const writes = Array.from({ length: 30 }, (_, at) =>
    at % 2 === 0
      ? add(id, { events: [{ type: "outside", payload: at }] })
      : add(id, { turnId, events: [{ type: "inside", payload: at }] }),
  );
  for (const answer of await Promise.all([...writes, say(id, turnId, "meanwhile")])) expectOk(answer, 201);
  expectOk(await end(id, turnId));
  const events = await eventsOf(daemon, id);
  expect(events.filter(({ type }) => type === "x.outside@1").map(({ data }) => data["turnId"])).toEqual(
    Array.from({ length: 15 }, () => null),
  );
  expect(events.filter(({ type }) => type === "x.inside@1").map(({ data }) => data["turnId"])).toEqual(
    Array.from({ length: 15 }, () => turnId),
  );
});

proves(
  "X4",
  "case 4: paging visits every event once while writers append; order, cursor, limit and filters hold",
  async () => {
    const { id } = await open();
    const written: number[] = [];
    let writing = true;
    const writer = async (first: number): Promise<void> => {
      for (let at = first; writing; at += 2) {
        expectOk(await add(id, { events: [{ type: "tick", payload: at }] }), 201);
        written.push(at);
      }
    };
    const writers = [writer(0), writer(1)];
    const seen: Event[] = [];
    let after = 0;
    while (seen.length < 300) {
      const path = `/sessions/${id}/events?limit=7&after=${after}`;
      const page = expectOk(await daemon.call<{ events: Event[]; next: number | null }>("GET", path));
      seen.push(...page.events);
      after = page.next ?? page.events.at(-1)?.seq ?? after;
    }
    writing = false;
    await Promise.all(writers);
    const all = await eventsOf(daemon, id);
    expect(seen).toEqual(all.slice(0, seen.length));
    const ticks = await eventsOf(daemon, id, "types=x.tick");
    expect(ticks.map(({ data }) => Number(data["payload"])).sort((a, b) => a - b)).toEqual(
      written.sort((a, b) => a - b),
    );
    const path = `/sessions/${id}/events?order=desc&limit=1000`;
    const backwards = expectOk(await daemon.call<{ events: Event[] }>("GET", path)).events;
    expect(backwards).toEqual([...all].reverse().slice(0, backwards.length));
  },
);

proves("X5", "case 5: a custom fact is filtered like a built-in one, with or without its version", async () => {
  const { id } = await open();
  const payload = { any: ["json", null, { nested: true }] };
  expectOk(
    await add(id, {
      events: [
        { type: "my.kind", payload },
        { type: "x.other@1", payload: 2 },
      ],
    }),
    201,
  );
  for (const types of ["x.my.kind", "x.my.kind@1"]) {
    const found = await eventsOf(daemon, id, `types=${types}`);
    expect(found.map(({ type, data }) => [type, data["payload"]])).toEqual([["x.my.kind@1", payload]]);
  }
  expect(await eventsOf(daemon, id, "types=x.my.kind,x.other")).toHaveLength(2);
  for (const type of ["x.Bad Name@1", "turn.ended@1", "x.y@2", "", "x.@1", "../up"])
    expectRefusal(await add(id, { events: [{ type, payload: 1 }] }), 400, "invalid_request");
});

proves(
  "X6",
  "case 6: watching after X gives everything after X, then live, without gap or repeat, also across a restart",
  async () => {
    const home = await newHome();
    const first = await startDaemon({ home });
    const { id } = await open(first);
    const tick = async (on: TestDaemon, from: number, count: number) => {
      for (let at = from; at < from + count; at += 1)
        expectOk(await add(id, { events: [{ type: "tick", payload: at }] }, on), 201);
    };
    const ticksIn = (items: readonly Item[]) =>
      items.flatMap(({ event, data }) =>
        event === "event" && data["type"] === "x.tick@1" ? [Reflect.get(Object(data["data"]), "payload")] : [],
      );
    await tick(first, 0, 20);
    const middle = (await eventsOf(first, id, "types=x.tick"))[9];
    const writing = tick(first, 20, 60);
    const reader = await readStream(first, `/sessions/${id}/stream?after=${middle?.id}`);
    await writing;
    await reader.until("tick 79", () => ticksIn(reader.items).includes(79));
    expect(ticksIn(reader.items)).toEqual(Array.from({ length: 70 }, (_, at) => at + 10));
    const last = reader.items.findLast((item) => item.id !== null)?.id ?? "";
    await first.kill9();
    const second = await startDaemon({ home });
    await tick(second, 80, 20);
    const resumed = await readStream(second, `/sessions/${id}/stream`, { "last-event-id": last });
    await resumed.until("tick 99", () => ticksIn(resumed.items).includes(99));
    expect(ticksIn(resumed.items)).toEqual(Array.from({ length: 20 }, (_, at) => at + 80));
  },
);

proves(
  "X7",
  "case 7: kill -9 in mid-turn leaves a readable log, the open effect is unknown, and the next turn works",
  async () => {
    const home = await newHome();
    const before = await startDaemon({ home });
    const { id } = await start(before, { cwd: join(home, "..") });
    const { turnId } = await prompt(before, id, "say working\nrun sleep 1000");
    await eventually("the effect", async () => (await eventsOf(before, id, "types=effect.begun")).length === 1);
    const seen = await eventsOf(before, id);
    await before.kill9();
    const after = await startDaemon({ home });
    const events = await eventsOf(after, id);
    expect(events.slice(0, seen.length)).toEqual(seen);
    expect(events.slice(seen.length).map(({ type, data }) => [type, data["outcome"]])).toEqual([
      ["effect.settled@1", "unknown"],
      ["turn.ended@1", "interrupted"],
    ]);
    expect(await linesOf(after, id)).toContain("[tool-error] unknown: the turn ended while it was under way");
    expect(await ended(after, id, turnId)).toMatchObject({ outcome: "interrupted" });
    expect(await turn(after, id, "say next")).toMatchObject({ outcome: "completed" });
    await expectSound(after);
  },
);

proves(
  "X8",
  "case 8: the same artifact path twice is one id with versions 1 and 2; old bytes stay; the turn is named",
  async () => {
    const { id } = await open();
    const turnId = await begin(id, "task");
    const write = async (content: string): Promise<{ artifactId: string; version: number }> =>
      expectOk(await daemon.call("POST", `/sessions/${id}/artifacts`, { path: "out/report.md", content, turnId }), 201);
    const first = await write("first");
    const second = await write("second");
    expect(second).toMatchObject({ artifactId: first.artifactId, version: 2 });
    expect(first.version).toBe(1);
    const read = (version: number) =>
      daemon.call("GET", `/sessions/${id}/artifacts/content?path=out/report.md&version=${version}`);
    expect(expectOk(await read(1))).toMatchObject({ content: "first" });
    expect(expectOk(await read(2))).toMatchObject({ content: "second" });
    const events = await eventsOf(daemon, id, "types=artifact.written");
    expect(events.map(({ data }) => data["turnId"])).toEqual([turnId, turnId]);
  },
);

proves(
  "X9",
  "case 9: a fork at E sees what its parent saw at E, nothing newer, and changes nothing of the parent",
  async () => {
    const { id } = await start(daemon);
    await turn(daemon, id, "say one");
    const artifact = (on: string, path: string, content: string) =>
      daemon.call<{ eventId: string }>("POST", `/sessions/${on}/artifacts`, { path, content });
    const { eventId } = expectOk(await artifact(id, "a", "old"), 201);
    const before = (await eventsOf(daemon, id, "view=path")).map((event) => event.id);
    await turn(daemon, id, "say two");
    expectOk(await artifact(id, "a", "new"), 201);
    expectOk(await artifact(id, "b", "newer"), 201);
    const parentThen = await eventsOf(daemon, id);
    const fork = expectOk(await daemon.call<Session>("POST", `/sessions/${id}/fork`, { at: eventId }), 201);
    await turn(daemon, fork.id, "say elsewhere");
    expectOk(await artifact(fork.id, "a", "branch"), 201);
    const path = await eventsOf(daemon, fork.id, "view=path");
    // Lineage: inherited events are the parent's own, with their own ids.
    expect(path.slice(0, before.length).map((event) => event.id)).toEqual(before);
    expect(path.slice(0, before.length).every(({ stream }) => stream === `session/${id}`)).toBe(true);
    const list = expectOk(
      await daemon.call<{ artifacts: { path: string }[] }>("GET", `/sessions/${fork.id}/artifacts`),
    );
    expect(list.artifacts.map((one) => one.path)).toEqual(["a"]);
    expect(await eventsOf(daemon, id)).toEqual(parentThen);
    expect((await show(daemon, fork.id)).forkedFrom).toEqual({ sessionId: id, eventId });
  },
);

proves(
  "X17",
  "case 17: a process's output is complete before its end, stdin works, wait answers once, cancel kills it",
  async () => {
    const mark = `case17-${daemon.pid}`;
    const { id } = await script(`export default async ({ process: start, say }) => {
    const quick = await start(["sh", "-c", "head -c 300000 /dev/zero | tr '\\\\0' x; echo; echo last"]);
    let printed = "";
    quick.onOutput((text) => { printed += text; });
    const [one, two] = await Promise.all([quick.wait(), quick.wait()]);
    await say(JSON.stringify({ bytes: printed.length, last: printed.endsWith("last\\n"), same: JSON.stringify(one) === JSON.stringify(two), exit: one.exitCode }));
    const echo = await start(["cat"]);
    let heard = "";
    echo.onOutput((text) => { heard += text; });
    await echo.write("to stdin\\n");
    await echo.closeInput();
    const end = await echo.wait();
    await say(JSON.stringify({ heard, outcome: end.outcome }));
    const long = await start(["sh", "-c", ": ${mark}; trap '' TERM; while true; do sleep 1; done"]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await long.cancel();
    const cancelled = await long.wait();
    await say(JSON.stringify({ cancelled: cancelled.outcome }));
  };`);
    expect(await turn(daemon, id, "go")).toMatchObject({ outcome: "completed" });
    const said = (await eventsOf(daemon, id, "types=message.completed")).map(({ data }) =>
      JSON.parse(String(data["text"])),
    );
    expect(said).toEqual([
      { bytes: 300_006, last: true, same: true, exit: 0 },
      { heard: "to stdin\n", outcome: "done" },
      { cancelled: "failed" },
    ]);
    expect(await processesWith(mark)).toEqual([]);
    const effects = await eventsOf(daemon, id, "types=effect.output,effect.settled");
    const byEffect = Map.groupBy(effects, ({ data }) => data["effectId"]);
    for (const own of byEffect.values())
      expect(own.findIndex(({ type }) => type === "effect.settled@1")).toBe(own.length - 1);
  },
);

proves("X17", "case 17: a process ends with its turn, also when the driver forgets it", async () => {
  const mark = `forgotten-${daemon.pid}`;
  const { id } = await script(`export default async ({ process: start, tools }) => {
    await start(["sh", "-c", ": ${mark}; sleep 1000"]);
    await tools.run("true");
  };`);
  const { turnId } = await prompt(daemon, id, "go");
  expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "completed" });
  expect(await processesWith(mark)).toEqual([]);
  expect(await eventsOf(daemon, id, "types=effect.settled")).toHaveLength(2);
});

proves(
  "X19",
  "case 19: a failing, an unknown and a wrongly called tool are results, and the turn goes on",
  async () => {
    const { id } = await script(`export default async ({ tools, say, event }) => {
    const failed = await tools.run("echo partial; exit 7");
    await say(JSON.stringify([failed.outcome, failed.exitCode, failed.output]));
    const refused = async (call) => { try { await call(); return "no error"; } catch (error) { return error.code; } };
    await say(JSON.stringify([
      await refused(() => tools.call("teleport", ["home"])),
      await refused(() => tools.call("run", [{ not: "text" }])),
      await refused(() => tools.call("write", ["only a path"])),
      await refused(() => tools.call("constructor", [])),
      await refused(() => tools.call("run", { command: "x" })),
      await refused(() => event("No Such Name!", 1)),
      await refused(() => tools.read("nowhere.txt")),
    ]));
    await say("still going");
  };`);
    expect(await turn(daemon, id, "go")).toMatchObject({ outcome: "completed" });
    const said = (await eventsOf(daemon, id, "types=message.completed")).map(({ data }) => String(data["text"]));
    expect(JSON.parse(said[0] ?? "")).toEqual(["failed", 7, "partial\n"]);
    const codes = JSON.parse(said[1] ?? "");
    expect(codes.slice(0, 6)).toEqual([
      "tool_unknown",
      "invalid_request",
      "invalid_request",
      "tool_unknown",
      "invalid_request",
      "invalid_request",
    ]);
    expect(codes[6]).not.toBe("no error");
    expect(said[2]).toBe("still going");
  },
);

proves(
  "X19",
  "case 19: large output is stored as a blob, the event has its beginning, and all of it can be read",
  async () => {
    const { id } = await start(daemon);
    await turn(daemon, id, "run seq 1 60000");
    const outputs = await eventsOf(daemon, id, "types=effect.output");
    const pieces: string[] = [];
    for (const { data } of outputs) {
      if (data["blob"] === null) pieces.push(String(data["text"]));
      else {
        const blob = expectOk(await daemon.call<{ content: string }>("GET", `/api/blobs/${data["blob"]}`));
        expect(blob.content.startsWith(String(data["text"]))).toBe(true);
        pieces.push(blob.content);
      }
    }
    expect(pieces.join("")).toBe(`${Array.from({ length: 60_000 }, (_, at) => at + 1).join("\n")}\n`);
    for (const event of outputs) expect(JSON.stringify(event).length).toBeLessThan(64 * 1024);
  },
);

proves(
  "X20",
  "case 20: wake-ups and a prompt at once run one after another in order of arrival, none lost in a crash",
  async () => {
    const home = await newHome();
    const before = await startDaemon({ home });
    const cwd = join(home, "..");
    const { id } = await start(before, { cwd });
    await prompt(before, id, "sleep 60000");
    const admitted = await Promise.all(
      Array.from({ length: 12 }, (_, at) => prompt(before, id, `run echo ${at} >> order.txt`, { queue: true })),
    );
    await before.kill9();
    const after = await startDaemon({ home });
    for (const { turnId } of admitted) expect(await ended(after, id, turnId)).toMatchObject({ outcome: "completed" });
    const order = (await eventsOf(after, id, "types=turn.admitted")).slice(1).map(({ data }) => String(data["prompt"]));
    const did = (await readFile(join(cwd, "order.txt"), "utf8")).trim().split("\n");
    expect(did).toEqual(order.map((text) => /echo (\d+)/.exec(text)?.[1]));
    const starts = (await eventsOf(after, id)).filter(({ type }) => /^turn\.(started|ended)@1$/.test(type));
    for (const [at, { type }] of starts.entries()) expect(type).toBe(at % 2 === 0 ? "turn.started@1" : "turn.ended@1");
  },
);

proves("X20", "case 20: different sessions run in parallel", async () => {
  const folder = await newFolder();
  const sessions = [await start(daemon, { cwd: folder }), await start(daemon, { cwd: folder })];
  // Each waits for the other: run one after another, neither could end.
  const meet = (mine: number, other: number) =>
    `run touch here-${mine}; for i in $(seq 400); do [ -e here-${other} ] && exit 0; sleep 0.05; done; exit 1`;
  const turns = await Promise.all(
    sessions.map(({ id }, at) => prompt(daemon, id, meet(at, 1 - at)).then(({ turnId }) => ended(daemon, id, turnId))),
  );
  expect(turns.map(({ outcome }) => outcome)).toEqual(["completed", "completed"]);
  for (const { id } of sessions)
    expect((await eventsOf(daemon, id, "types=effect.settled")).map(({ data }) => data["exitCode"])).toEqual([0]);
});

proves("X7", "case 7: a driver process that dies in mid-turn fails only that turn", async () => {
  const mark = `suicide-${daemon.pid}`;
  const { id } = await script(`export default async ({ say, tools }) => {
    await say("before");
    void tools.run(": ${mark}; sleep 1000");
    setTimeout(() => process.kill(process.pid, "SIGKILL"), 300);
    await new Promise(() => undefined);
  };`);
  const { turnId } = await prompt(daemon, id, "go");
  await running(mark);
  expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "failed" });
  expect(await processesWith(mark)).toEqual([]);
  expect(await show(daemon, id)).toMatchObject({ state: "idle", busy: false });
});
