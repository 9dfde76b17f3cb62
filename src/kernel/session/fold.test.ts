import { expect } from "vitest";
import { SPEC } from "../../../test/support/kernel-model.ts";
import {
  admission,
  asked,
  BUSY,
  begun,
  ENDED,
  fold,
  foldOn,
  HIBERNATED,
  IDLE,
  intended,
  RESTORING,
  running,
  STARTING,
  SUSPENDED,
  turnEnd,
} from "../../../test/support/kernel-states.ts";
import { proves } from "../../../test/support/proves.ts";
import type { List } from "../definitions/list.ts";
import { LIMITS } from "../limits.ts";
import type { Spent } from "./driver-events.ts";
import { type Fact, fact } from "./events.ts";
import { APPROVALS, approvalRows, SESSIONS, sessionRow } from "./rows.ts";
import { Session } from "./session.ts";
import { newSessionState, nextArtifactVersion, RECENT_TURNS_KEPT, type SessionState } from "./state.ts";
import {
  APPROVAL_TRANSITIONS,
  EFFECT_TRANSITIONS,
  SESSION_TRANSITIONS,
  type Transition,
  TURN_TRANSITIONS,
} from "./transitions.ts";
import { emptyView } from "./view.ts";

const PROMPT = { turnId: "t", prompt: "x", blob: null, bytes: 1, queued: false };

proves("K15", "before its first event a session is empty", () => {
  expect(newSessionState("s")).toEqual({
    ...{ id: "s", stream: "session/s", version: 0, headId: null, spec: null, label: null, forkedFrom: null, root: "s" },
    ...{ phase: { at: "starting" }, openedAt: null, lastOutputAt: null, forgotten: false, archived: null, queue: [] },
    ...{ turnsEnded: 0, recentTurns: [], effects: {}, approvals: {}, grants: [], artifactNext: {}, artifactFloor: 1 },
    view: { path: [{ kind: "own", stream: "session/s", from: 1, to: null }], artifacts: {}, todo: [] },
  });
});

proves("K15", "labels of points and summaries of branches are read from the log: they change no state", () => {
  const { version: _version, headId: _head, ...before } = IDLE;
  const after = foldOn(
    IDLE,
    fact("point.labelled@1", { eventId: "e1", label: "here" }),
    fact("context.branched@1", {
      ...{ turnId: "t", from: "e1", summary: { text: "s", blob: null, bytes: 1 } },
      files: { read: [], modified: [] },
    }),
  );
  expect(after).toMatchObject(before);
  expect(Object.keys(after).sort()).toEqual(Object.keys(IDLE).sort());
});

proves("K15", "each fact of a session's life is in its state", () => {
  expect(STARTING).toMatchObject({ spec: SPEC, label: null, openedAt: "t1", version: 1, headId: "e1" });
  expect(BUSY.phase).toEqual({ at: "busy", turnId: "t", eventId: "e3", since: "t4" });
  expect(SUSPENDED.phase).toEqual({ at: "suspended", reason: "r" });
  expect(HIBERNATED.phase).toEqual({ at: "hibernated" });
  expect(RESTORING.restoring).toEqual({ from: "a", to: "b" });
  expect(ENDED.map(({ phase }) => phase)).toEqual([
    { at: "exited", endedAt: "t3", exitCode: 3 },
    { at: "killed", endedAt: "t3" },
    { at: "error", endedAt: "t3", code: "c", message: "m" },
  ]);
  const [ended = IDLE] = ENDED;
  const archive = { file: "f", sha256: "x" } as never;
  expect(foldOn(ended, fact("session.archived@1", { archive, events: 1 })).archived).toEqual({ at: "t4", archive });
  expect(foldOn(ended, fact("session.forgotten@1", {})).forgotten).toBe(true);
  expect(foldOn(IDLE, fact("session.labelled@1", { label: "x" })).label).toBe("x");
  const titled = foldOn(IDLE, fact("turn.admitted@1", { ...PROMPT, title: "a" }));
  expect(titled.title).toBe("a");
  expect(foldOn(titled, fact("turn.admitted@1", { ...PROMPT, turnId: "u", title: "b" })).title).toBe("a");
  expect(foldOn(titled, fact("session.titled@1", { title: null })).title).toBeNull();
  expect("title" in foldOn(IDLE, fact("turn.admitted@1", PROMPT))).toBe(false);
  const said = fact("message.completed@1", { turnId: "t", role: "assistant", text: "x", blob: null, bytes: 1 });
  const tool = { turnId: "t", callId: "c", title: "x", kind: "k", places: [], input: null };
  const outputs = [
    said,
    fact("tool.called@1", tool),
    fact("tool.ended@1", { ...tool, outcome: "done", diffs: [], output: null }),
    fact("effect.output@1", { effectId: "e", turnId: "t", stream: "stdout", text: "x", blob: null, bytes: 1 }),
  ];
  expect(BUSY.lastOutputAt).toBeNull();
  expect(outputs.map((output) => foldOn(BUSY, output).lastOutputAt)).toEqual(outputs.map(() => "t5"));
});

proves("K15", "the tables of a session, its turns, effects and questions, written out", () => {
  const moves = (table: readonly Transition<string, string>[]) =>
    table.map(({ on, from, to }) => `${on.replace("@1", "")}: ${from.join(" ")} > ${to}`);
  const alive = "starting idle busy suspended hibernated";
  expect(moves(SESSION_TRANSITIONS)).toEqual([
    "session.started: starting > idle",
    "turn.started: idle > busy",
    "turn.ended: busy > idle",
    "session.suspended: starting idle hibernated > suspended",
    "session.resumed: suspended > idle",
    "session.hibernated: starting idle > hibernated",
    "session.woken: hibernated > idle",
    `session.exited: ${alive} > exited`,
    `session.killed: ${alive} > killed`,
    `session.failed: ${alive} > error`,
  ]);
  expect([TURN_TRANSITIONS, EFFECT_TRANSITIONS, APPROVAL_TRANSITIONS].flatMap(moves)).toEqual([
    "turn.admitted: none > queued",
    "turn.started: queued > running",
    "turn.ended: queued running > ended",
    "effect.intended: none > intended",
    "effect.begun: intended > begun",
    "effect.settled: intended begun > settled",
    "approval.requested: none > pending",
    "approval.answered: pending > answered",
    "approval.closed: pending > closed",
  ]);
  expect(foldOn(SUSPENDED, fact("session.resumed@1", {})).phase).toEqual({ at: "idle" });
  expect(foldOn(HIBERNATED, fact("session.woken@1", { continuity: "native" })).phase).toEqual({ at: "idle" });
});

proves("K15", "a turn is queued, runs and ends once; the last few ends are remembered", () => {
  expect(BUSY).toMatchObject({ queue: [], turnsEnded: 0 });
  const ended = foldOn(BUSY, admission("q"), turnEnd("t"));
  expect(ended).toMatchObject({ phase: { at: "idle" }, queue: [{ turnId: "q", eventId: "e5" }], turnsEnded: 1 });
  expect(foldOn(ended, turnEnd("t")).turnsEnded).toBe(1);
  expect(foldOn(ended, admission("t"), admission("q")).queue).toHaveLength(1);
  expect(foldOn(ended, fact("turn.started@1", { turnId: "t" })).phase.at).toBe("idle");
  expect(foldOn(BUSY, admission("t")).queue).toEqual([]);
  expect(foldOn(IDLE, admission("p"), ...running("q")).phase).toEqual({
    ...{ at: "busy", turnId: "q", eventId: "e4", since: "t5" },
  });
  expect(foldOn(BUSY, admission("q"), fact("turn.started@1", { turnId: "q" }))).toMatchObject({
    phase: { at: "busy", turnId: "t" },
    queue: [{ turnId: "q" }],
  });
  expect(foldOn(BUSY, admission("q"), turnEnd("q"))).toMatchObject({ phase: { at: "busy" }, queue: [], turnsEnded: 1 });
  const many = Array.from({ length: RECENT_TURNS_KEPT + 1 }, (_, n) => [...running(`t${n}`), turnEnd(`t${n}`)]).flat();
  const { recentTurns, turnsEnded } = foldOn(IDLE, ...many);
  expect([recentTurns.length, recentTurns[0], turnsEnded]).toEqual([
    RECENT_TURNS_KEPT,
    { turnId: "t1", outcome: "completed" },
    RECENT_TURNS_KEPT + 1,
  ]);
});

proves("K15", "an effect is open from its intent to its outcome, and begins from its intent only", () => {
  const effect = { turnId: "t", kind: "run", redo: "ask" };
  expect(foldOn(BUSY, intended("e")).effects).toEqual({ e: { ...effect, status: "intended" } });
  expect(foldOn(BUSY, intended("e"), begun("e")).effects).toEqual({ e: { ...effect, status: "begun" } });
  expect(foldOn(BUSY, intended("e"), begun("e"), intended("e")).effects).toEqual({ e: { ...effect, status: "begun" } });
  expect(foldOn(BUSY, begun("e")).effects).toEqual({});
  const settled = { effectId: "e", turnId: "t", outcome: "done" as const, exitCode: 0, message: null, redo: null };
  expect(foldOn(BUSY, intended("e"), intended("f"), fact("effect.settled@1", settled)).effects).toEqual({
    f: { ...effect, status: "intended" },
  });
});

proves("K7", "an answer closes its question; `always` grants the verb, an approved widening its paths", () => {
  const action = { verb: "tool.run", resource: "r" };
  const answered = (status: "approved" | "rejected", option: string | null, approvalId = "a") =>
    fact("approval.answered@1", { approvalId, turnId: "t", status, option, reason: null });
  const open = foldOn(BUSY, asked("a", { action }), asked("b"));
  expect(open.approvals["a"]).toMatchObject({ approvalId: "a", askedAt: "t5" });
  expect(foldOn(open, asked("a", { question: "other" })).approvals["a"]?.question).toBe("May I?");
  expect(Object.keys(foldOn(open, answered("approved", "yes")).approvals)).toEqual(["b"]);
  expect(foldOn(open, answered("approved", "yes")).grants).toEqual([]);
  const granted = foldOn(open, answered("approved", "always"));
  expect(granted.grants).toEqual(["tool.run"]);
  expect(foldOn(granted, asked("c", { action }), answered("approved", "always", "c")).grants).toEqual(["tool.run"]);
  const other = asked("d", { action: { verb: "tool.write", resource: "r" } });
  expect(foldOn(granted, other, answered("approved", "always", "d")).grants).toEqual(["tool.run", "tool.write"]);
  expect(foldOn(open, answered("approved", "always", "b")).grants).toEqual([]);
  expect(
    Object.keys(foldOn(open, fact("approval.closed@1", { approvalId: "b", turnId: "t", status: "expired" })).approvals),
  ).toEqual(["a"]);
  const waits = foldOn(
    BUSY,
    intended("e"),
    asked("a", { effectId: "e", checkpoint: 1 }),
    asked("b", { checkpoint: 1 }),
  );
  const effect = waits.effects["e"];
  expect(foldOn(waits, answered("approved", null)).effects).toEqual({ e: { ...effect, resumes: true } });
  expect(foldOn(waits, answered("rejected", null)).effects).toEqual({ e: effect });
  expect(foldOn(waits, answered("approved", null, "b")).effects).toEqual({ e: effect });
  expect(foldOn(waits, answered("approved", null, "x")).effects).toEqual({ e: effect });
  expect(foldOn(waits, begun("e"), answered("approved", null)).effects).toEqual({ e: { ...effect, status: "begun" } });
  const widen = foldOn(BUSY, asked("a", { action: { verb: "scope.widen", resource: "x\ny" } }));
  const widened = foldOn(widen, answered("approved", null));
  expect(widened.widened).toEqual(["x", "y"]);
  const more = asked("c", { action: { verb: "scope.widen", resource: "z" } });
  expect(foldOn(widened, more, answered("approved", null, "c")).widened).toEqual(["x", "y", "z"]);
  expect(foldOn(widen, answered("rejected", null)).widened).toBeUndefined();
  expect(foldOn(open, answered("approved", null)).widened).toBeUndefined();
});

proves("K15", "worktree, artifacts, todo and snapshots are in the state", () => {
  const ref = { worktreeId: "w", path: "p", branch: "b" };
  const created = foldOn(IDLE, fact("worktree.created@1", { ...ref, base: null, repository: "r" }));
  expect(created.worktree).toBe("w");
  expect(foldOn(IDLE, fact("worktree.attached@1", ref)).worktree).toBe("w");
  expect(foldOn(created, fact("worktree.removed@1", { worktreeId: "w" })).worktree).toBeNull();
  const write = (version: number) =>
    fact("artifact.written@1", {
      ...{ path: "p", artifactId: "a", version, blob: "b", bytes: 1, mediaType: "m" },
      turnId: null,
    });
  const written = foldOn(IDLE, write(1), write(5), write(2));
  expect(written.artifactNext).toEqual({ a: 6 });
  expect(written.view.artifacts["p"]?.versions.map(({ version }) => version)).toEqual([1, 5, 2]);
  const numbered = (artifactId: string, ...versions: readonly number[]) =>
    nextArtifactVersion(
      { ...written, artifactFloor: 4 },
      { artifactId, versions: versions.map((version) => ({ version, blob: "b", bytes: 1, mediaType: "m" })) },
    );
  expect([numbered("a", 5, 2), numbered("a", 2, 8), numbered("gone"), numbered("gone", 9)]).toEqual([6, 9, 4, 10]);
  expect(nextArtifactVersion(IDLE, { artifactId: "new", versions: [] })).toBe(1);
  const past = (count: number) => ({
    ...IDLE,
    artifactNext: Object.fromEntries(Array.from({ length: count }, (_, n) => [`past${n}`, n % 7])),
  });
  const kept = foldOn(past(LIMITS.artifactIdsMax - 1), write(1));
  expect([Object.keys(kept.artifactNext).length, kept.artifactFloor]).toEqual([LIMITS.artifactIdsMax, 1]);
  const trimmed = foldOn(past(LIMITS.artifactIdsMax), write(8));
  expect([trimmed.artifactNext, trimmed.artifactFloor]).toEqual([{ a: 9 }, 6]);
  const todo = [{ text: "x", status: "open" as const }];
  expect(foldOn(IDLE, fact("todo.replaced@1", { items: todo, turnId: null })).view.todo).toEqual(todo);
  const taken = (snapshot: string) =>
    fact("snapshot.taken@1", {
      ...{ turnId: null, occasion: "asked" as const, snapshot, files: 1, directories: 1, bytes: 1, storedBytes: 7 },
      ...{ changed: null, leftOut: { count: 0, first: [] }, special: [], unsettled: [], tookMs: 1 },
    });
  expect(foldOn(IDLE, taken("x"), taken("y"))).toMatchObject({
    snapshotBytes: 14,
    view: { world: { snapshot: "y", skipped: null } },
  });
  const skipped = fact("snapshot.skipped@1", { turnId: null, code: "c", reason: "r" });
  expect(foldOn(IDLE, taken("x"), skipped).view.world).toEqual({ snapshot: null, skipped: "c" });
  const restore = fact("restore.begun@1", { from: "a", to: "b" });
  expect(foldOn(IDLE, restore).restoring).toEqual({ from: "a", to: "b" });
  const settled = (outcome: "restored" | "rolled_back") =>
    foldOn(
      RESTORING,
      fact("restore.settled@1", { outcome, from: "a", to: "b", changed: 1, notRestored: [], reason: null }),
    );
  expect(settled("restored")).not.toHaveProperty("restoring");
  expect(settled("restored").view.world).toEqual({ snapshot: "b", skipped: null });
  expect(settled("rolled_back").view.world).toEqual({ snapshot: "a", skipped: null });
});

proves("K15", "what a driver said of itself is kept; a rewind lets go of its memory only", () => {
  const attached = fact("driver.attached@1", {
    ...{
      turnId: "t",
      nativeId: "n",
      continuity: "fresh" as const,
      reason: null,
      program: "p",
      protocol: "1",
      tools: true,
    },
  });
  const settings = { mode: "m", model: null, options: {} };
  const state = foldOn(BUSY, attached, fact("driver.configured@1", settings));
  expect(state.driver).toEqual({ nativeId: "n", settings, offer: null });
  const offer = { mode: "m", modes: [], options: [], commands: [] };
  expect(foldOn(state, fact("driver.offered@1", { turnId: "t", ...offer })).driver).toEqual({
    nativeId: "n",
    settings,
    offer,
  });
  const rewound = fact("session.rewound@1", {
    to: { stream: "session/s", version: 1, eventId: "e1" },
    view: emptyView("x"),
  });
  expect(foldOn(state, rewound)).toMatchObject({ driver: { nativeId: null, settings }, view: emptyView("x") });
  expect(foldOn(IDLE, rewound)).not.toHaveProperty("driver");
  const child = (childId: string, ended: readonly string[]) =>
    fact("session.delegated@1", { childId, agent: "a", ended });
  expect(foldOn(IDLE, child("c1", []), child("c2", []), child("c3", ["c1"]))).toMatchObject({
    children: ["c2", "c3"],
    pastChildren: ["c1"],
  });
  expect(foldOn(IDLE, child("c1", []), child("c2", ["c1"]), child("c3", ["c2"]))).toMatchObject({
    children: ["c3"],
    pastChildren: ["c1", "c2"],
  });
});

proves("K19", "a session's row says what its state says", () => {
  expect(sessionRow(newSessionState("s"))).toBeNull();
  expect(sessionRow(STARTING)).toMatchObject({
    state: "starting",
    busy: false,
    active: true,
    startedAt: "t1",
    head: "e1",
  });
  expect(sessionRow(STARTING)).not.toHaveProperty("bound");
  const from = { sessionId: "p", stream: "session/p", version: 7, eventId: "e7" };
  expect([STARTING, { ...STARTING, forkedFrom: from }].map((state) => sessionRow(state)?.forkedFrom)).toEqual([
    null,
    { sessionId: "p", eventId: "e7" },
  ]);
  expect(sessionRow(IDLE)).toMatchObject({ state: "idle", busy: false, active: false, waitingFor: null, queued: 0 });
  expect(sessionRow(foldOn(BUSY, asked("a"), admission("q")))).toMatchObject({
    ...{ state: "busy", busy: true, active: true, waitingFor: "approval", queued: 1, endedAt: null },
  });
  expect(sessionRow(foldOn(BUSY, asked("a", { turnId: "u" })))?.waitingFor).toBeNull();
  expect(sessionRow(BUSY)?.waitingFor).toBeNull();
  expect(ENDED.map(sessionRow)).toMatchObject([
    { state: "exited", exitCode: 3, endedAt: "t3", error: null, active: false },
    { state: "killed", exitCode: null, endedAt: "t3", error: null },
    { state: "error", exitCode: null, error: { code: "c", message: "m" } },
  ]);
  const outside = { ...SPEC, external: { pid: 1, startedAt: "" } as never, delegates: [] };
  const external = foldOn(newSessionState("s"), fact("session.opened@1", { spec: outside, label: "x" }));
  expect(sessionRow(external)).toMatchObject({ bound: true, label: "x", active: true });
  const idle = foldOn(external, fact("session.started@1", { continuity: "fresh" }));
  expect(sessionRow(idle)?.active).toBe(true);
  expect(sessionRow(foldOn(idle, fact("session.killed@1", { reason: "r" })))?.active).toBe(false);
});

proves("K19", "a session is found by name, workspace and state, and by whether it lives, shows and works", () => {
  const keys = (state: SessionState) => SESSIONS.keysOf(sessionRow(state) ?? expect.fail("it was opened"));
  const at = { ...IDLE, openedAt: "2026-01-02T03:04:05.678Z" };
  const idle = { name: SPEC.name, workspace: SPEC.workspace, state: "idle", alive: true, shown: true, active: false };
  expect(keys(at)).toEqual({ ...idle, activity: "2026-01-02T03:04" });
  expect(keys({ ...at, lastOutputAt: "2026-01-03T00:00:00.000Z" }).activity).toBe("2026-01-03T00:00");
  const [, killed = IDLE] = ENDED;
  expect(keys(foldOn(killed, fact("session.forgotten@1", {})))).toMatchObject({
    state: "killed",
    alive: false,
    shown: false,
  });
  expect(keys(BUSY).active).toBe(true);
});

proves("K19", "what a start and a page look up has an index, and sessions show the newest first", () => {
  const indexed = ({ keys }: List) => Object.entries(keys).flatMap(([key, { indexed }]) => (indexed ? [key] : []));
  expect(indexed(SESSIONS)).toEqual(["name", "alive", "active", "workspace", "state", "activity"]);
  expect(indexed(APPROVALS)).toEqual(["session", "status"]);
  expect([SESSIONS.newestFirst, APPROVALS.newestFirst]).toEqual([true, false]);
  expect([SESSIONS.isHot, APPROVALS.isHot]).toEqual([true, false]);
  expect(Session.lists).toEqual([SESSIONS, APPROVALS]);
});

proves("K19", "an approval's row is written when it is asked, answered and closed", () => {
  const rows = (...facts: readonly Fact[]) =>
    facts.reduce<{ state: SessionState; rows: readonly object[] }>(
      ({ state, rows }, given) => {
        const version = state.version + 1;
        const changes = approvalRows(state, { id: `e${version}`, version, at: `t${version}`, fact: given });
        return { state: foldOn(state, given), rows: [...rows, ...changes.map(({ put }) => put ?? {})] };
      },
      { state: BUSY, rows: [] },
    ).rows;
  const closed = (approvalId: string) => fact("approval.closed@1", { approvalId, turnId: "t", status: "expired" });
  const approved = fact("approval.answered@1", {
    ...{ approvalId: "a", turnId: "t", status: "approved" as const, option: null, reason: null },
  });
  const row = { id: "a", sessionId: "s", turnId: "t", question: "May I?", options: [], action: null, createdAt: "t5" };
  expect(rows(asked("a"), approved)).toEqual([
    { ...row, status: "pending" },
    { ...row, status: "approved" },
  ]);
  expect(rows(asked("a"), closed("a"), closed("a"), admission("q"))).toEqual([
    { ...row, status: "pending" },
    { ...row, status: "expired" },
  ]);
});

proves(
  "K16",
  "a waiting turn says why it waits, starts only in its order, and its session is not erased meanwhile",
  () => {
    const waiting = foldOn(BUSY, admission("q1"), admission("q2"));
    const held = (state: typeof waiting) => Session.queued(state).map(({ item, heldBy }) => [item, heldBy]);
    expect(held(waiting)).toEqual([
      ["q1", "the session is busy"],
      ["q2", "the session is busy"],
    ]);
    expect(Session.queued(waiting)[0]).toEqual({
      ...{ item: "q1", lane: "session/s", priority: 0, order: "e5", at: "waiting", heldBy: "the session is busy" },
    });
    const free = foldOn(waiting, turnEnd("t"));
    expect(held(free).map(([, why]) => why)).toEqual([null, null]);
    expect(held(foldOn(RESTORING, admission("q")))).toEqual([["q", "its files are being restored"]]);
    expect([Session.start(free, "q1").toString() === "", Session.start(free, "q2")]).toEqual([false, []]);
    expect([BUSY, IDLE].map((state) => Session.refuseErasure(state)?.refused)).toEqual(["session_busy", undefined]);
    expect(Session.account(IDLE, "s")).toBe("s");
    const child = fold(fact("session.opened@1", { spec: { ...SPEC, parentSessionId: "p" }, label: null }));
    expect(Session.account(child, "s")).toBe("p");
    expect(Session.account({ ...child, root: "r" }, "s")).toBe("r");
  },
);

proves("K46", "what agents say they spent adds up; no price is told until one is", () => {
  const report = (spent?: Spent) => {
    const used = { contextTokens: 1, contextMax: 2, inputTokens: 3, outputTokens: 4, cost: null };
    return fact("usage.reported@1", { turnId: "t", ...used, ...(spent === undefined ? {} : { spent }) });
  };
  const one = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, costMicroUsd: null };
  expect("spent" in foldOn(IDLE, report())).toBe(false);
  expect(foldOn(IDLE, report(one)).spent).toEqual(one);
  const twice = { input: 2, output: 4, cacheRead: 6, cacheWrite: 8, costMicroUsd: null };
  expect(foldOn(IDLE, report(one), report(one)).spent).toEqual(twice);
  const priced = { ...one, costMicroUsd: 7 };
  expect(foldOn(IDLE, report(one), report(priced)).spent?.costMicroUsd).toBe(7);
  expect(foldOn(IDLE, report(priced), report(one), report(priced)).spent?.costMicroUsd).toBe(14);
  const back = fact("session.rewound@1", { to: { stream: "s", version: 1, eventId: "e" }, view: emptyView("s") });
  expect(foldOn(IDLE, report(one), back).spent).toEqual(one);
});

proves("K48", "a rewind, a switch of the agent and a new turn end the wait for a foreign agent's limit", () => {
  const limit = { turnId: "t", until: "2026-01-01T00:00:00.000Z", reason: "full", nextTurnId: "n" };
  const back = fact("session.rewound@1", { to: { stream: "s", version: 1, eventId: "e" }, view: emptyView("s") });
  const other = fact("driver.switched@1", { adapter: "nomos", agent: "nomos" });
  for (const onReset of ["continue", "tell"] as const) {
    const waits = fact("quota.reached@1", { ...limit, onReset });
    expect(foldOn(IDLE, waits).quota).toBeDefined();
    for (const next of [back, other, fact("turn.started@1", { turnId: "u" })])
      expect("quota" in foldOn(IDLE, waits, next), next.type).toBe(false);
  }
});
