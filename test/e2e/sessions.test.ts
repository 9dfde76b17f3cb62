import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { processesWith, running } from "./support/processes.ts";
import {
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  idle,
  linesOf,
  newFolder,
  PATIENCE,
  type Prompted,
  pendingOf,
  prompt,
  type Session,
  show,
  start,
  turn,
  typesOf,
  UUID,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const INTERRUPT_MAX_MS = 4000;

proves("S1", "spawn answers 201 with the session's fields, and the session is in the list", async () => {
  const cwd = await newFolder();
  expectOk(await daemon.call("POST", "/api/workspaces", { slug: "w", path: cwd }), 201);
  const session = await start(daemon, { cwd, label: "first", workspaceSlug: "w", agent: "demo" });
  expectOk(await daemon.call("DELETE", "/api/workspaces/w"));
  expect(session).toMatchObject({
    adapterSlug: "demo",
    workspaceSlug: "w",
    ground: "ws://workspaces/w",
    cwd,
    label: "first",
    agent: "demo",
    agentSlug: "demo",
    queued: 0,
    sandbox: "off",
    depth: 0,
  });
  expect(session.id).toMatch(UUID);
  expect(session.name).toMatch(/^[a-z]+-[a-z]+-[0-9a-f]{2}$/);
  const ready = await eventually("idle", async () => {
    const now = await show(daemon, session.id);
    return now.state === "idle" ? now : null;
  });
  expect(ready).toMatchObject({ status: "running", busy: false });
  const { sessions } = expectOk(await daemon.call<{ sessions: Session[] }>("GET", "/sessions"));
  expect(sessions.map(({ id }) => id)).toContain(session.id);
});

proves("S1", "a refused spawn leaves nothing behind", async () => {
  const count = async () => expectOk(await daemon.call<{ sessions: [] }>("GET", "/sessions")).sessions.length;
  const before = await count();
  const cwd = await newFolder();
  const spawn = (body: object) => daemon.call("POST", "/sessions/agent", body);
  expect(expectRefusal(await spawn({ cwd }), 400, "missing_adapter").message).toContain("adapter");
  expectRefusal(await spawn({ adapter: "demo", cwd: join(cwd, "nowhere") }), 400, "cwd_missing");
  expectRefusal(await spawn({ adapter: "demo", cwd: "relative" }), 400, "cwd_missing");
  expectRefusal(await spawn({ adapter: "demo", cwd: daemon.home }), 400, "cwd_hidden");
  expectRefusal(await spawn({ adapter: "demo", cwd, agent: "nobody" }), 400, "invalid_agent");
  expectRefusal(await spawn({ adapter: "script", cwd, file: join(cwd, "none.ts") }), 400, "driver_file_invalid");
  expectRefusal(await spawn({ adapter: "demo", cwd, network: { allow: ["a.org"] } }), 409, "sandbox_unavailable");
  const missing = expectRefusal(await spawn({ adapter: "copilot", cwd }), 501, "not_installed");
  expect(missing.details).toMatchObject({ driver: "copilot", install: ["nomos driver install copilot"] });
  const unknown = expectRefusal(await spawn({ adapter: "nobody", cwd }), 501, "not_installed");
  expect(unknown.details).toMatchObject({ driver: "nobody", installed: expect.arrayContaining(["demo", "script"]) });
  expect(await count()).toBe(before);
});

proves("S1", "spawn with a prompt admits its first turn in the same append", async () => {
  const session = await start(daemon, { prompt: "say hello" });
  expect(session.busy).toBe(true);
  await idle(daemon, session.id);
  expect(typesOf(await eventsOf(daemon, session.id))).toEqual([
    "session.opened@1",
    "turn.admitted@1",
    "session.started@1",
    "turn.started@1",
    "snapshot.taken@1",
    "message.completed@1",
    "turn.ended@1",
  ]);
});

proves("S2", "a prompt is answered when it is admitted, and the session is busy until the turn has ended", async () => {
  const { id } = await start(daemon);
  const answer = await prompt(daemon, id, "sleep 300\nsay done");
  expect(answer).toEqual({ ok: true, id, turnId: expect.stringMatching(UUID), queued: false });
  expect(await show(daemon, id)).toMatchObject({ busy: true, status: "running" });
  expect(await ended(daemon, id, answer.turnId)).toEqual({ turnId: answer.turnId, outcome: "completed" });
  expect(await show(daemon, id)).toMatchObject({ busy: false, state: "idle" });
});

proves(
  "S2",
  "a prompt up to 4 KB is in its event; a longer one is a blob, with its beginning in the event",
  async () => {
    const { id } = await start(daemon);
    const small = `say ${"x".repeat(4000)}`;
    const large = `say ${"y".repeat(10_000)}`;
    await turn(daemon, id, small);
    await turn(daemon, id, large);
    const admitted = await eventsOf(daemon, id, "types=turn.admitted");
    expect(admitted[0]?.data).toMatchObject({ prompt: small, blob: null, bytes: small.length });
    expect(admitted[1]?.data).toMatchObject({ bytes: large.length, blob: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(large.startsWith(String(admitted[1]?.data["prompt"]))).toBe(true);
    const blob = expectOk(await daemon.call("GET", `/api/blobs/${admitted[1]?.data["blob"]}`));
    expect(blob).toMatchObject({ encoding: "utf8", content: large });
    const said = await eventsOf(daemon, id, "types=message.completed");
    expect(said[1]?.data).toMatchObject({ text: large.slice("say ".length) });
  },
);

proves("S3", "busy without queue is 409; with queue the turns run in order of arrival", async () => {
  const { id } = await start(daemon);
  const first = await prompt(daemon, id, "sleep 400\nsay one");
  expectRefusal(await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: "say no" }), 409, "session_busy");
  const second = await prompt(daemon, id, "say two", { queue: true });
  const third = await prompt(daemon, id, "say three", { queue: true });
  expect([second.queued, third.queued]).toEqual([true, true]);
  await ended(daemon, id, third.turnId);
  const messages = await eventsOf(daemon, id, "types=message.completed");
  expect(messages.map(({ data }) => [data["turnId"], data["text"]])).toEqual([
    [first.turnId, "one"],
    [second.turnId, "two"],
    [third.turnId, "three"],
  ]);
});

proves("S3", "a prompt to a full queue is refused and not admitted", async () => {
  const { id } = await start(daemon);
  await prompt(daemon, id, "ask wait here");
  await pendingOf(daemon, id);
  const answers: Prompted[] = [];
  for (let at = 0; at < 64; at += 1) answers.push(await prompt(daemon, id, `say ${at}`, { queue: true }));
  const over = await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: "say no", queue: true });
  expectRefusal(over, 429, "queue_full");
  expect(await eventsOf(daemon, id, "types=turn.admitted")).toHaveLength(65);
  await daemon.call("POST", `/sessions/${id}/kill`, {});
});

proves("S4", "interrupt answers when the turn has settled, and says whether there was one", async () => {
  const { id } = await start(daemon);
  const { turnId } = await prompt(daemon, id, "run sleep 60");
  const marker = await eventually("the effect", async () => (await eventsOf(daemon, id, "types=effect.begun"))[0]);
  expect(marker.data["turnId"]).toBe(turnId);
  const sinceMs = Date.now();
  expect(expectOk(await daemon.call("POST", `/sessions/${id}/interrupt`))).toEqual({ ok: true, id, wasBusy: true });
  expect(Date.now() - sinceMs).toBeLessThan(INTERRUPT_MAX_MS);
  expect(await show(daemon, id)).toMatchObject({ busy: false, state: "idle" });
  expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "interrupted" });
  expect(expectOk(await daemon.call("POST", `/sessions/${id}/interrupt`))).toEqual({ ok: true, id, wasBusy: false });
  expect(await turn(daemon, id, "say on")).toMatchObject({ outcome: "completed" });
  await daemon.call("POST", `/sessions/${id}/kill`, {});
  expect(expectOk(await daemon.call("POST", `/sessions/${id}/interrupt`))).toEqual({ ok: true, id, wasBusy: false });
});

proves("S4", "a turn can be interrupted once admitted, before it has begun", async () => {
  const { id } = await start(daemon);
  for (let round = 0; round < 20; round += 1) {
    const { turnId } = await prompt(daemon, id, "sleep 30000");
    expect(expectOk(await daemon.call("POST", `/sessions/${id}/interrupt`))).toEqual({ ok: true, id, wasBusy: true });
    expect(await show(daemon, id)).toMatchObject({ busy: false });
    expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "interrupted" });
  }
});

proves("S4", "a prompt with interrupt ends the running turn and runs next", async () => {
  const { id } = await start(daemon);
  const first = await prompt(daemon, id, "sleep 30000\nsay never");
  const second = await prompt(daemon, id, "say instead", { interrupt: true });
  expect(await ended(daemon, id, second.turnId)).toMatchObject({ outcome: "completed" });
  expect(await ended(daemon, id, first.turnId)).toMatchObject({ outcome: "interrupted" });
  expect(await linesOf(daemon, id)).not.toContain("never");
});

proves.onOneStore("S4", "a process that ignores every signal does not delay an interrupt", async () => {
  const { id } = await start(daemon);
  const mark = `deaf-${randomUUID()}`;
  await prompt(daemon, id, `run trap '' TERM INT HUP; : ${mark}; while true; do sleep 1; done`);
  await running(mark);
  const sinceMs = Date.now();
  expectOk(await daemon.call("POST", `/sessions/${id}/interrupt`));
  expect(Date.now() - sinceMs).toBeLessThan(INTERRUPT_MAX_MS);
  expect(await processesWith(mark)).toEqual([]);
});

proves("S5", "kill answers when the whole process tree is gone; a second kill answers false", async () => {
  const { id } = await start(daemon);
  const mark = `tree-${randomUUID()}`;
  const line = `setsid sh -c 'trap "" TERM; : ${mark}; sleep 1000' & (sleep 1000; : ${mark}) & : ${mark}; sleep 1000`;
  const { turnId } = await prompt(daemon, id, `run ${line}`);
  const queued = await prompt(daemon, id, "say never", { queue: true });
  await running(mark);
  expect(expectOk(await daemon.call("POST", `/sessions/${id}/kill`))).toEqual({ ok: true, id });
  expect(await processesWith(mark)).toEqual([]);
  expect(await show(daemon, id)).toMatchObject({ state: "killed", status: "killed", busy: false, queued: 0 });
  expect((await show(daemon, id)).endedAt).toBeDefined();
  expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "interrupted" });
  expect(await ended(daemon, id, queued.turnId)).toMatchObject({ outcome: "cancelled" });
  expect(expectOk(await daemon.call("POST", `/sessions/${id}/kill`))).toEqual({ ok: false, id });
});

proves.onOneStore("S5", "a command's background children are ended", async () => {
  const { id } = await start(daemon);
  const mark = `left-${randomUUID()}`;
  await turn(daemon, id, `run setsid nohup sh -c ': ${mark}; sleep 1000' >/dev/null 2>&1 & sleep 0.2; echo up`);
  expect(await linesOf(daemon, id)).toContain("up");
  expect(await processesWith(mark)).toEqual([]);
});

proves.onOneStore(
  "S5",
  "a session that prints without end and ignores signals can be killed, and the daemon goes on",
  async () => {
    const { id } = await start(daemon);
    const mark = `loud-${randomUUID()}`;
    await prompt(daemon, id, `run trap '' TERM; : ${mark}; while true; do echo tick; sleep 0.05; done`);
    await eventually("output", async () => (await eventsOf(daemon, id, "types=effect.output")).length > 0);
    expect(expectOk(await daemon.call("POST", `/sessions/${id}/kill`))).toEqual({ ok: true, id });
    expect(await processesWith(mark)).toEqual([]);
    const other = await start(daemon);
    expect(await turn(daemon, other.id, "say still here")).toMatchObject({ outcome: "completed" });
  },
);

proves("S6", "DELETE kills a live session and forgets it", async () => {
  const { id } = await start(daemon);
  const mark = `gone-${randomUUID()}`;
  await prompt(daemon, id, `run : ${mark}; sleep 1000`);
  await running(mark);
  expect(expectOk(await daemon.call("DELETE", `/sessions/${id}`))).toEqual({ ok: true, id });
  expect(await processesWith(mark)).toEqual([]);
  expectRefusal(await daemon.call("GET", `/sessions/${id}`), 404, "session_not_found");
  expectRefusal(await daemon.call("DELETE", `/sessions/${id}`), 404, "session_not_found");
  expectRefusal(await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: "x" }), 404, "session_not_found");
  expectRefusal(await daemon.call("DELETE", `/sessions/${randomUUID()}`), 404, "session_not_found");
  const { sessions } = expectOk(await daemon.call<{ sessions: Session[] }>("GET", "/sessions"));
  expect(sessions.map((session) => session.id)).not.toContain(id);
});

proves("S7", "suspend ends the running turn, the queue waits, resume goes on", async () => {
  const { id } = await start(daemon);
  const first = await prompt(daemon, id, "sleep 30000");
  const queued = [];
  for (const text of ["one", "two"]) queued.push(await prompt(daemon, id, `say ${text}`, { queue: true }));
  const suspended = expectOk(await daemon.call("POST", `/sessions/${id}/suspend`, { reason: "lunch" }));
  expect(suspended).toMatchObject({ state: "suspended", status: "running", busy: false, queued: 2 });
  expect(await ended(daemon, id, first.turnId)).toMatchObject({ outcome: "interrupted" });
  expectRefusal(await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: "x" }), 409, "session_suspended");
  expect(await prompt(daemon, id, "say three", { queue: true })).toMatchObject({ queued: true });
  expect(await linesOf(daemon, id)).not.toContain("one");
  expectOk(await daemon.call("POST", `/sessions/${id}/resume`));
  for (const { turnId } of queued) expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "completed" });
  await idle(daemon, id);
  expect((await linesOf(daemon, id)).filter((line) => /^(one|two|three)$/.test(line))).toEqual(["one", "two", "three"]);
  expectRefusal(await daemon.call("POST", `/sessions/${id}/resume`), 409, "session_not_suspended");
});

proves("S7", "suspend with a queue never lets the next turn start", async () => {
  for (let round = 0; round < 15; round += 1) {
    const { id } = await start(daemon);
    await prompt(daemon, id, "sleep 30000");
    await prompt(daemon, id, "say slipped", { queue: true });
    expectOk(await daemon.call("POST", `/sessions/${id}/suspend`));
    const { state, queued } = await show(daemon, id);
    expect(state).toBe("suspended");
    // Two when the first turn had not started yet either.
    expect([1, 2]).toContain(queued);
    expect(await linesOf(daemon, id)).not.toContain("slipped");
    await daemon.call("DELETE", `/sessions/${id}`);
  }
});

proves("S10", "an ended session refuses prompt, rewind and suspend, but can be read and forked", async () => {
  const { id } = await start(daemon);
  await turn(daemon, id, "say something");
  await daemon.call("POST", `/sessions/${id}/kill`);
  for (const body of [{ prompt: "x" }, { prompt: "x", queue: true }, { prompt: "x", interrupt: true }])
    expectRefusal(await daemon.call("POST", `/sessions/${id}/prompt`, body), 409, "session_ended");
  const { head } = await show(daemon, id);
  expectRefusal(await daemon.call("POST", `/sessions/${id}/rewind`, { to: head }), 409, "session_ended");
  expectRefusal(await daemon.call("POST", `/sessions/${id}/suspend`), 409, "session_ended");
  expectRefusal(await daemon.call("POST", `/sessions/${id}/hibernate`), 409, "session_ended");
  expect(await eventsOf(daemon, id, "types=message.completed")).toHaveLength(1);
  const fork = expectOk(await daemon.call<Session>("POST", `/sessions/${id}/fork`, {}), 201);
  expect(await turn(daemon, fork.id, "say again")).toMatchObject({ outcome: "completed" });
});

proves("S13", "a session is found by its id, by the start of it, and by its name", async () => {
  const session = await start(daemon);
  expect((await show(daemon, session.name)).id).toBe(session.id);
  const { sessions } = expectOk(await daemon.call<{ sessions: Session[] }>("GET", "/sessions?limit=1000"));
  const beginnings = [...session.id].map((_, at) => session.id.slice(0, at + 1));
  const only = beginnings.find((beginning) => sessions.filter(({ id }) => id.startsWith(beginning)).length === 1);
  expect((await show(daemon, only ?? "")).id).toBe(session.id);
  expectRefusal(await daemon.call("GET", `/sessions/${session.id.slice(0, 2)}`), 409, "ambiguous_id");
  for (const id of ["%25", "_", "*", "'; DROP TABLE events; --", "nobody-here-00"])
    expectRefusal(await daemon.call("GET", `/sessions/${encodeURIComponent(id)}`), 404, "session_not_found");
});

proves("S14", "a hibernated session is woken by its next prompt", async () => {
  const { id } = await start(daemon);
  await turn(daemon, id, "say awake");
  expect(expectOk(await daemon.call("POST", `/sessions/${id}/hibernate`))).toMatchObject({
    state: "hibernated",
    status: "running",
    busy: false,
  });
  expect(await turn(daemon, id, "say again")).toMatchObject({ outcome: "completed" });
  expect(typesOf(await eventsOf(daemon, id))).toContain("session.woken@1");
});

proves.onOneStore(
  "S16",
  "the demo driver obeys say, write, run, sleep, ask and fail, and echoes anything else",
  async () => {
    const cwd = await newFolder();
    const { id } = await start(daemon, { cwd });
    await turn(
      daemon,
      id,
      "say hello there\nwrite sub/file.txt some text\nrun cat sub/file.txt; echo; pwd\nsleep 1\nwhat else",
    );
    const lines = await linesOf(daemon, id);
    for (const line of ["hello there", "some text", cwd, "what else", "── turn-end (completed) ──"])
      expect(lines).toContain(line);
    expect(await readFile(join(cwd, "sub/file.txt"), "utf8")).toBe("some text");
    const failed = await turn(daemon, id, "fail on purpose");
    expect(failed).toMatchObject({ outcome: "failed" });
    const end = (await eventsOf(daemon, id, "types=turn.ended")).at(-1);
    expect(end?.data["error"]).toEqual({ code: "driver_failed", message: "on purpose" });
    expect(await turn(daemon, id, "run exit 3\nsay after")).toMatchObject({ outcome: "completed" });
    const settled = (await eventsOf(daemon, id, "types=effect.settled")).at(-1);
    expect(settled?.data).toMatchObject({ outcome: "failed", exitCode: 3 });
  },
);

proves("S17", "wait ends with the turn, when the session is idle, or after its own time", async () => {
  const { id } = await start(daemon);
  const first = await prompt(daemon, id, "sleep 600");
  expectRefusal(await daemon.call("GET", `/sessions/${id}/wait?timeoutMs=50`), 408, "wait_timeout");
  expect(await ended(daemon, id, first.turnId)).toMatchObject({ outcome: "completed" });
  const unknown = `/sessions/${id}/wait?turnId=${randomUUID()}&timeoutMs=50`;
  expectRefusal(await daemon.call("GET", unknown), 404, "turn_not_found");
  expect((await idle(daemon, id)).busy).toBe(false);
  for (let at = 0; at < 40; at += 1) await turn(daemon, id, "say x");
  expect(await ended(daemon, id, first.turnId)).toMatchObject({ outcome: "completed" });
});

proves("S19", "labels, todo and artifacts are stored, each artifact version by itself", async () => {
  const { id } = await start(daemon);
  expect(expectOk(await daemon.call("POST", `/sessions/${id}/label`, { label: "mine" }))).toMatchObject({
    label: "mine",
  });
  expect(expectOk(await daemon.call<Session>("POST", `/sessions/${id}/label`, { label: null })).label).toBeUndefined();
  const items = [{ text: "write it", status: "active" }];
  expect(expectOk(await daemon.call("PUT", `/sessions/${id}/todo`, { items }))).toEqual({ items });
  expect(expectOk(await daemon.call("GET", `/sessions/${id}/todo`))).toEqual({ items });
  const write = (body: object) => daemon.call<{ version: number }>("POST", `/sessions/${id}/artifacts`, body);
  const bytes = Buffer.from([0, 255, 1, 128]).toString("base64");
  expect(expectOk(await write({ path: "a/b.bin", content: bytes, encoding: "base64" }), 201)).toMatchObject({
    version: 1,
  });
  expect(expectOk(await write({ path: "a/b.bin", content: "nul \0 inside" }), 201)).toMatchObject({ version: 2 });
  const read = (version: string) => daemon.call("GET", `/sessions/${id}/artifacts/content?path=a/b.bin${version}`);
  expect(expectOk(await read("&version=1"))).toMatchObject({ encoding: "base64", content: bytes });
  expect(expectOk(await read(""))).toMatchObject({ encoding: "utf8", content: "nul \0 inside", version: 2 });
  expectRefusal(await read("&version=3"), 404, "artifact_not_found");
});

proves("S21", "sessions are listed by start, last activity, name or state, page by page without a gap", async () => {
  const [first, second] = [await start(daemon), await start(daemon)];
  await start(daemon);
  expectOk(await daemon.call("POST", `/sessions/${second.id}/suspend`, { reason: "later" }));
  interface Listed {
    readonly sessions: readonly { readonly id: string; readonly name: string; readonly state: string }[];
    readonly next: string | null;
  }
  const paged = async (sort: string) => {
    const found: Listed["sessions"][number][] = [];
    for (let after = ""; ; ) {
      const query = `sort=${sort}&limit=2${after === "" ? "" : `&after=${encodeURIComponent(after)}`}`;
      const page = expectOk(await daemon.call<Listed>("GET", `/sessions?${query}`));
      found.push(...page.sessions);
      if (page.next === null) return found;
      after = page.next;
    }
  };
  const all = expectOk(await daemon.call<Listed>("GET", "/sessions")).sessions;
  const ids = all.map(({ id }) => id);
  expect((await paged("started")).map(({ id }) => id)).toEqual(ids);
  const byName = await paged("name");
  expect(byName.map(({ name }) => name)).toEqual(all.map(({ name }) => name).toSorted());
  const byState = await paged("state");
  expect(byState.map(({ state }) => state)).toEqual(all.map(({ state }) => state).toSorted());
  const byActivity = (await paged("activity")).map(({ id }) => id);
  expect(byActivity.toSorted()).toEqual(ids.toSorted());
  expect(byActivity).toContain(first.id);
  expectRefusal(await daemon.call("GET", "/sessions?sort=row"), 400, "invalid_request");
});
