import { expect } from "vitest";
import {
  admission,
  BUSY,
  ENDED,
  fold,
  foldOn,
  HIBERNATED,
  IDLE,
  OPENED,
  PROMPT,
  RESTORING,
  running,
  STARTED,
  STARTING,
  SUSPENDED,
  turnEnd,
} from "../../../test/support/kernel-states.ts";
import { proves } from "../../../test/support/proves.ts";
import type { Decision } from "../definitions/aggregate.ts";
import { LIMITS } from "../limits.ts";
import { admitTurnWith, askInTurn, configureDriver, recordDriver } from "./decide-driver.ts";
import { beginRestore, finishRewind, recordFiles, rollBackRestore } from "./decide-files.ts";
import {
  archiveSession,
  endSession,
  forgetSession,
  forkSession,
  hibernateSession,
  labelSession,
  openSession,
  resumeSession,
  rewindSession,
  startSession,
  suspendSession,
  titleSession,
  wakeSession,
} from "./decide-life.ts";
import {
  addCustom,
  admitTurn,
  beginTurn,
  completeMessage,
  endStillborn,
  endTurn,
  replaceTodo,
  requestInterrupt,
  startIfFree,
  startNextTurn,
  writeArtifact,
} from "./decide-turn.ts";
import { fact } from "./events.ts";
import { newSessionState, type SessionState } from "./state.ts";
import { emptyView, inheritView } from "./view.ts";

/** What was decided, in short: the refusal's code, or the types of the facts. */
const said = (decision: Decision): string =>
  "refused" in decision ? decision.refused : decision.map(({ type }) => type).join(" ");

const POINT = { stream: "session/s", version: 1, eventId: "e1" };
const VIEW = emptyView("session/s");
const RESTORED = { changed: 1, notRestored: [], files: { restored: [], removed: [], kept: [], more: 0 }, left: [] };
const ARTIFACT = { path: "p", newArtifactId: "a", blob: "b", bytes: 1, mediaType: "m", turnId: null };
const TURN = { turnId: "t", prompt: PROMPT, queue: true };
const END = { turnId: "t", outcome: "failed" as const, error: { code: "c", message: "m" } };

proves("K3", "an ended session refuses every command that would change it, by name", () => {
  const commands: Readonly<Record<string, (state: SessionState) => Decision>> = {
    admitTurn: (state) => admitTurn(state, TURN),
    admitTurnWith: (state) => admitTurnWith(state, TURN, []),
    beginTurn: (state) => beginTurn(state, TURN),
    endTurn: (state) => endTurn(state, END),
    endStillborn: (state) => endStillborn(state, END),
    writeArtifact: (state) => writeArtifact(state, ARTIFACT),
    replaceTodo: (state) => replaceTodo(state, [], null),
    addCustom: (state) => addCustom(state, null, []),
    rewindSession: (state) => rewindSession(state, POINT, VIEW),
    startSession: (state) => startSession(state, "fresh"),
    suspendSession: (state) => suspendSession(state, "r"),
    resumeSession,
    hibernateSession: (state) => hibernateSession(state, "r"),
    wakeSession: (state) => wakeSession(state, "fresh"),
    endSession: (state) => endSession(state, { kind: "killed", reason: "r" }),
    beginRestore: (state) => beginRestore(state, { from: "a", to: "b", kept: [] }),
    finishRewind: (state) => finishRewind(state, POINT, VIEW, RESTORED),
    configureDriver: (state) => configureDriver(state, { mode: "m" }),
  };
  for (const state of ENDED)
    for (const [name, decide] of Object.entries(commands)) {
      expect([name, said(decide(state))]).toEqual([name, "session_ended"]);
      expect(decide(state)).toMatchObject({ details: { id: "s", state: state.phase.at } });
    }
});

proves("K2", "a prompt: started when the session is free, queued when asked to, refused otherwise", () => {
  const prompt = (state: SessionState, queue: boolean) => admitTurn(state, { turnId: "n", prompt: PROMPT, queue });
  const states = { STARTING, IDLE, BUSY, SUSPENDED, HIBERNATED, RESTORING };
  const queued = Object.entries(states).map(([name, state]) => {
    const [admitted] = [prompt(state, true)].flat();
    return [name, admitted !== undefined && "data" in admitted ? Reflect.get(admitted.data, "queued") : admitted];
  });
  expect(Object.fromEntries(queued)).toEqual({
    STARTING: false,
    IDLE: false,
    BUSY: true,
    SUSPENDED: true,
    HIBERNATED: false,
    RESTORING: true,
  });
  expect(Object.entries(states).map(([, state]) => said(prompt(state, false)))).toEqual([
    "turn.admitted@1",
    "turn.admitted@1",
    "session_busy",
    "session_suspended",
    "turn.admitted@1",
    "session_busy",
  ]);
  const full = foldOn(BUSY, ...Array.from({ length: LIMITS.queuedTurnsMax }, (_, n) => admission(`q${n}`)));
  expect(prompt(full, true)).toEqual({ refused: "queue_full", details: { queued: LIMITS.queuedTurnsMax } });
  const last = foldOn(BUSY, ...Array.from({ length: LIMITS.queuedTurnsMax - 1 }, (_, n) => admission(`q${n}`)));
  expect(said(prompt(last, true))).toBe("turn.admitted@1");
});

proves("K2", "a turn driven from outside wakes or starts its session in the same append", () => {
  const begin = (state: SessionState) => said(beginTurn(state, { turnId: "n", prompt: PROMPT }));
  expect(begin(IDLE)).toBe("turn.admitted@1 turn.started@1");
  expect(begin(STARTING)).toBe("session.started@1 turn.admitted@1 turn.started@1");
  expect(begin(HIBERNATED)).toBe("session.woken@1 turn.admitted@1 turn.started@1");
  expect(beginTurn(HIBERNATED, { turnId: "n", prompt: PROMPT })).toEqual([
    fact("session.woken@1", { continuity: "native" }),
    fact("turn.admitted@1", { turnId: "n", prompt: "hello", blob: null, bytes: 5, queued: false, title: "hello" }),
    fact("turn.started@1", { turnId: "n" }),
  ]);
  expect([BUSY, RESTORING, SUSPENDED, foldOn(IDLE, admission("q"))].map(begin)).toEqual([
    "turn_open",
    "turn_open",
    "session_suspended",
    "turn_open",
  ]);
});

proves("K2", "the next turn starts only in an idle session whose files are not being restored", () => {
  const waiting = [admission("q1"), admission("q2")];
  const next = (state: SessionState) => startNextTurn(foldOn(state, ...waiting));
  expect(next(IDLE)).toEqual([fact("turn.started@1", { turnId: "q1" })]);
  expect([BUSY, SUSPENDED, HIBERNATED, STARTING, RESTORING].map(next)).toEqual([[], [], [], [], []]);
  expect(startNextTurn(IDLE)).toEqual([]);
  const admitted = [admission("n")];
  const free = (state: SessionState) => said(startIfFree(state, admitted, "n"));
  expect(free(IDLE)).toBe("turn.admitted@1 turn.started@1");
  expect([BUSY, RESTORING, HIBERNATED, foldOn(IDLE, admission("q"))].map(free)).toEqual(
    Array(4).fill("turn.admitted@1"),
  );
  expect(said(startIfFree(IDLE, { refused: "queue_full", details: {} }, "n"))).toBe("queue_full");
});

proves("K2", "an interrupt is for the running turn, or the one about to start", () => {
  const request = (turnId: string) => [fact("turn.interrupt_requested@1", { turnId })];
  expect(requestInterrupt(foldOn(BUSY, admission("q")))).toEqual(request("t"));
  expect(requestInterrupt(foldOn(IDLE, admission("q")))).toEqual(request("q"));
  expect(requestInterrupt(foldOn(SUSPENDED, admission("q")))).toEqual([]);
  expect(requestInterrupt(IDLE)).toEqual([]);
});

proves("K2", "a turn that is not running is named for what it is", () => {
  const state = foldOn(BUSY, turnEnd("t"), ...running("u"), admission("q"));
  const end = (turnId: string) => endTurn(state, { ...END, turnId });
  expect(end("t")).toEqual({ refused: "turn_ended", details: { turnId: "t", outcome: "completed" } });
  expect(said(end("q"))).toBe("turn_not_running");
  expect(said(end("x"))).toBe("turn_not_found");
  expect(end("u")).toEqual([fact("turn.ended@1", { ...END, turnId: "u" })]);
  const say = (turnId: string) => completeMessage(state, { turnId, role: "thought", body: PROMPT });
  expect(["t", "q", "x"].map((turnId) => said(say(turnId)))).toEqual([
    "turn_ended",
    "turn_not_running",
    "turn_not_found",
  ]);
  expect(say("u")).toEqual([fact("message.completed@1", { turnId: "u", role: "thought", ...PROMPT })]);
  expect(addCustom(state, "u", [{ type: "x.note@1", payload: 7 }])).toEqual([
    { type: "x.note@1", data: { turnId: "u", payload: 7 } },
  ]);
  expect(said(addCustom(state, "t", []))).toBe("turn_ended");
  expect(said(replaceTodo(state, [], "x"))).toBe("turn_not_found");
});

proves("K2", "an agent that never started: its turn fails, the queue is cancelled, the session ends in error", () => {
  const stillborn = endStillborn(foldOn(BUSY, admission("q")), END);
  expect(stillborn).toEqual([
    fact("turn.ended@1", END),
    fact("turn.ended@1", { turnId: "q", outcome: "cancelled", error: null }),
    fact("session.failed@1", { code: "c", message: "m" }),
  ]);
});

proves("K13", "an artifact gets the next version; a new path over the limit is refused", () => {
  expect(writeArtifact(IDLE, ARTIFACT)).toEqual([
    fact("artifact.written@1", {
      ...{ path: "p", artifactId: "a", version: 1, blob: "b", bytes: 1, mediaType: "m", turnId: null },
    }),
  ]);
  const write = (path: string) =>
    fact("artifact.written@1", {
      ...{ path, artifactId: path, version: 1, blob: "b", bytes: 1, mediaType: "m" },
      turnId: null,
    });
  const full = foldOn(IDLE, ...Array.from({ length: LIMITS.artifactPathsMax }, (_, n) => write(`p${n}`)));
  expect(said(writeArtifact(full, ARTIFACT))).toBe("artifact_limit");
  expect(writeArtifact(full, { ...ARTIFACT, path: "p0" })).toMatchObject([{ data: { artifactId: "p0", version: 2 } }]);
  const items = Array.from({ length: LIMITS.todoItemsMax }, () => ({ text: "x", status: "open" as const }));
  expect(said(replaceTodo(IDLE, items, null))).toBe("todo.replaced@1");
  expect(said(replaceTodo(IDLE, [...items, ...items.slice(0, 1)], null))).toBe("todo_limit");
});

proves("K3", "start, suspend, resume, hibernate and wake, in every state", () => {
  const states = [STARTING, IDLE, BUSY, SUSPENDED, HIBERNATED, RESTORING, foldOn(IDLE, admission("q"))];
  const each = (decide: (state: SessionState) => Decision) => states.map((state) => said(decide(state)));
  expect(each((state) => startSession(state, "fresh"))).toEqual(["session.started@1", "", "", "", "", "", ""]);
  expect(each((state) => suspendSession(state, "r"))).toEqual([
    ...["session.suspended@1", "session.suspended@1", "session_busy", "", "session.suspended@1"],
    ...["session.suspended@1", "session.suspended@1"],
  ]);
  expect(each(resumeSession)).toEqual([
    ...Array(3).fill("session_not_suspended"),
    "session.resumed@1",
    ...Array(3).fill("session_not_suspended"),
  ]);
  expect(each((state) => hibernateSession(state, "r"))).toEqual([
    ...["session.hibernated@1", "session.hibernated@1", "session_busy", "", "", "session_busy", "session_busy"],
  ]);
  expect(each((state) => wakeSession(state, "fresh"))).toEqual(["", "", "", "", "session.woken@1", "", ""]);
  expect(each((state) => rewindSession(state, POINT, VIEW))).toEqual([
    ...["session.rewound@1", "session.rewound@1", "session_busy", "session.rewound@1", "session.rewound@1"],
    ...["session_busy", "session_busy"],
  ]);
});

proves("K8", "a rewind continues after its own event, whatever it goes back to", () => {
  expect(rewindSession(IDLE, POINT, VIEW)).toEqual([
    fact("session.rewound@1", {
      to: POINT,
      view: {
        ...VIEW,
        path: [
          { kind: "own", stream: "session/s", from: 1, to: 1 },
          { kind: "own", stream: "session/s", from: IDLE.version + 1, to: null },
        ],
      },
    }),
  ]);
});

proves("K3", "only an ended session is archived, once; forgetting ends it first, once", () => {
  const archive = (state: SessionState) => archiveSession(state, { archive: null, events: 1 });
  expect(said(archive(IDLE))).toBe("session_not_ended");
  for (const state of ENDED) {
    expect(archive(state)).toEqual([fact("session.archived@1", { archive: null, events: 1 })]);
    const archived = foldOn(state, fact("session.archived@1", { archive: null, events: 1 }));
    expect(archive(archived)).toEqual([]);
    expect(said(admitTurn(archived, TURN))).toBe("session_ended");
    expect(said(forgetSession(state))).toBe("session.forgotten@1");
  }
  expect(said(forgetSession(foldOn(BUSY, admission("q"))))).toBe(
    "turn.ended@1 turn.ended@1 session.killed@1 session.forgotten@1",
  );
  expect(forgetSession(foldOn(IDLE, fact("session.forgotten@1", {})))).toEqual([]);
  expect(labelSession(IDLE, null)).toEqual([]);
  expect(labelSession(IDLE, "x")).toEqual([fact("session.labelled@1", { label: "x" })]);
  expect(titleSession(IDLE, "x")).toEqual([fact("session.titled@1", { title: "x" })]);
  expect(titleSession({ ...IDLE, title: "x" }, "x")).toEqual([]);
});

proves("K3", "the end of a session names how it ended", () => {
  expect(endSession(IDLE, { kind: "exited", exitCode: 3 })).toEqual([fact("session.exited@1", { exitCode: 3 })]);
  expect(endSession(IDLE, { kind: "killed", reason: "r" })).toEqual([fact("session.killed@1", { reason: "r" })]);
  expect(endSession(IDLE, { kind: "failed", code: "c", message: "m" })).toEqual([
    fact("session.failed@1", { code: "c", message: "m" }),
  ]);
});

proves("K9", "files are restored only between turns, and a rewind needs a restore that has begun", () => {
  const begin = (state: SessionState) =>
    said(beginRestore(state, { from: "a", to: "b", kept: [fact("worktree.removed@1", { worktreeId: "w" })] }));
  expect(begin(IDLE)).toBe("worktree.removed@1 restore.begun@1");
  expect([BUSY, foldOn(IDLE, admission("q"))].map(begin)).toEqual(["session_busy", "session_busy"]);
  expect(said(finishRewind(IDLE, POINT, VIEW, RESTORED))).toBe("session_busy");
  const left = [fact("snapshot.skipped@1", { turnId: null, code: "c", reason: "r" })];
  expect(said(finishRewind(RESTORING, POINT, VIEW, { ...RESTORED, left }))).toBe(
    "session.rewound@1 restore.settled@1 snapshot.skipped@1",
  );
  expect(finishRewind(RESTORING, POINT, VIEW, RESTORED)).toMatchObject([
    { type: "session.rewound@1", data: { to: POINT, view: { path: [{}, { from: RESTORING.version + 1, to: null }] } } },
    { type: "restore.settled@1", data: { outcome: "restored", from: "a", to: "b", changed: 1, reason: null } },
  ]);
  expect(rollBackRestore(IDLE, "r")).toEqual([]);
  expect(rollBackRestore(RESTORING, "r")).toEqual([
    fact("restore.settled@1", {
      ...{ outcome: "rolled_back" as const, from: "a", to: "b", changed: 0, notRestored: [], reason: "r" },
    }),
  ]);
});

proves("K9", "an ended session gets no more facts about its files", () => {
  const facts = [fact("worktree.kept@1", { worktreeId: "w", work: {} })];
  expect([recordFiles(IDLE, facts), ...ENDED.map((state) => recordFiles(state, facts))]).toEqual([facts, [], [], []]);
});

proves("K2", "an agent speaks in its own running turn only, and its settings add up", () => {
  const attached = (turnId: string) =>
    fact("driver.attached@1", {
      ...{
        turnId,
        nativeId: "n",
        continuity: "fresh" as const,
        reason: null,
        program: "p",
        protocol: "1",
        tools: true,
      },
    });
  expect(said(recordDriver(BUSY, "t", [attached("t")]))).toBe("driver.attached@1");
  expect(recordDriver(BUSY, "t", [attached("t"), attached("u")])).toEqual({
    refused: "turn_not_running",
    details: { turnId: "u" },
  });
  expect(said(recordDriver(IDLE, "t", [attached("t")]))).toBe("turn_not_found");
  const asks = { approvalId: "a", question: "?", options: [], action: null, effectId: null, checkpoint: null };
  expect(askInTurn(BUSY, asks)).toMatchObject([{ type: "approval.requested@1", data: { turnId: "t" } }]);
  expect(said(askInTurn(IDLE, asks))).toBe("turn_not_found");

  const set = foldOn(IDLE, fact("driver.configured@1", { mode: "m", model: "x", options: { a: true } }));
  expect(configureDriver(set, { model: "y", options: { b: "1" } })).toEqual([
    fact("driver.configured@1", { mode: "m", model: "y", options: { a: true, b: "1" } }),
  ]);
  expect(configureDriver(IDLE, { mode: "n" })).toEqual([
    fact("driver.configured@1", { mode: "n", model: null, options: {} }),
  ]);
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`o${n}`, true]));
  expect(said(configureDriver(IDLE, { options: many(LIMITS.driverOptionsMax) }))).toBe("driver.configured@1");
  expect(said(configureDriver(IDLE, { options: many(LIMITS.driverOptionsMax + 1) }))).toBe("invalid_option");
  const items = [{ kind: "link" as const, name: "n", mediaType: "m", uri: "u", blob: null, bytes: 0 }];
  expect(said(admitTurnWith(IDLE, { ...TURN, turnId: "n" }, items))).toBe("turn.admitted@1 turn.attached@1");
  expect(said(admitTurnWith(IDLE, { ...TURN, turnId: "n" }, []))).toBe("turn.admitted@1");
  expect(said(admitTurnWith(BUSY, { ...TURN, turnId: "n", queue: false }, items))).toBe("session_busy");
});

proves("K4", "a stream that has begun is neither opened nor forked again", () => {
  const again = fold(OPENED, STARTED);
  expect(
    foldOn(again, fact("session.opened@1", { spec: { ...again.spec, name: "other" } as never, label: "x" })),
  ).toMatchObject({
    label: null,
    openedAt: "t1",
  });
  const [blank, spec] = [newSessionState("s"), again.spec ?? expect.fail("it was opened")];
  const from = { stream: "session/p", version: 7, eventId: "e7", sessionId: "p" };
  const fork = { spec, label: "l", from, root: "r", view: emptyView("session/p") };
  expect(openSession(blank, { spec, label: "l" })).toEqual([fact("session.opened@1", { spec, label: "l" })]);
  expect(forkSession(blank, fork)).toEqual([
    fact("session.forked@1", { ...fork, view: inheritView(fork.view, from, "session/s") }),
  ]);
  expect([openSession(STARTING, { spec, label: null }), forkSession(STARTING, fork)].map(said)).toEqual([
    "session_exists",
    "session_exists",
  ]);
});

proves("K46", "the first prompt of a session brings its title: the first line, cut between characters", () => {
  const titles = (state: SessionState, text: string) => {
    const input = { turnId: "t", prompt: { text, blob: null, bytes: 1 }, queue: true };
    const facts = [admitTurn(state, input), beginTurn(state, input)].flatMap((made) => ("refused" in made ? [] : made));
    return facts.flatMap(({ type, data }) => (type === "turn.admitted@1" && "title" in data ? [data.title] : []));
  };
  expect(titles(IDLE, "  \n Fix the build \nplease")).toEqual(["Fix the build", "Fix the build"]);
  expect(titles(STARTING, "one")).toEqual(["one", "one"]);
  expect(titles(IDLE, " \n")).toEqual([]);
  expect(titles(IDLE, "🦦".repeat(80))).toEqual(["🦦".repeat(80), "🦦".repeat(80)]);
  expect(titles(IDLE, "🦦".repeat(81))[0]).toBe(`${"🦦".repeat(79)}…`);
  for (const later of [BUSY, foldOn(IDLE, admission("q")), { ...IDLE, turnsEnded: 1 }, { ...IDLE, title: null }])
    expect(titles(later, "one")).toEqual([]);
});
