import fc from "fast-check";
import { expect } from "vitest";
import { goingOn, histories } from "../../../test/support/kernel-histories.ts";
import {
  evolve,
  factsOf,
  instant,
  type Log,
  newWorld,
  perform,
  placed,
  runCommands,
  type SessionEvent,
} from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { LIMITS } from "../limits.ts";
import { sessionRow } from "../session/rows.ts";
import { Session } from "../session/session.ts";
import { isEnded, newSessionState, RECENT_TURNS_KEPT, type SessionState } from "../session/state.ts";
import { foldAll } from "./aggregate.ts";
import type { Placed } from "./event.ts";

/** A view is stored inside `session.rewound@1` and `session.forked@1`, so it must fit into one event. */
const FOLD_JSON_BYTES_MAX = LIMITS.eventDataBytes;
const EVENTS_OF_A_LONG_LIFE = 20_000;

proves("K16", "the read models are the same however the log is split into appends", () => {
  fc.assert(
    fc.property(histories, fc.integer({ min: 1, max: 9 }), (commands, size) => {
      for (const log of runCommands(commands).logs) expect(rowsInSteps(log, size)).toEqual(rowsInSteps(log, Infinity));
    }),
    { numRuns: 100 },
  );
});

proves("K17", "the state of a session stays within its limit for 20,000 events of every type", () => {
  const world = newWorld(200);
  const [log] = world.logs;
  if (log === undefined) return expect.fail("a world has a session");
  for (let seed = 1; log.head.version < EVENTS_OF_A_LONG_LIFE; seed += 1)
    for (const command of fc.sample(goingOn, { numRuns: 1000, seed })) {
      perform(world, command.do === "artifact" ? { ...command, path: log.head.version % 1500 } : command);
      if (log.events.length % 500 === 0) expectBounded(log.head);
    }
  expectBounded(log.head);
});

proves("K17", "old artifact versions leave the view, longest history first, and never the current version", () => {
  const world = newWorld(1000);
  for (let n = 0; n < LIMITS.artifactVersionsMax + 500; n += 1)
    perform(world, { log: 0, do: "artifact", n: 0, path: n % 50 === 0 ? n / 50 : 0, inTurn: false });
  const { view } = world.logs[0]?.head ?? expect.fail("a world has a session");
  const { "files/0": longest, ...others } = view.artifacts;
  expect(Object.values(others).map(({ versions }) => versions.map(({ version }) => version))).toEqual(
    Array(49).fill([1]),
  );
  expect(longest?.versions).toHaveLength(LIMITS.artifactVersionsMax - 49);
  expect(longest?.versions.at(-1)?.version).toBe(LIMITS.artifactVersionsMax + 500 - 49);
});

proves("K17", "artifacts left behind by rewinds do not accumulate, and their version numbers still only rise", () => {
  const world = newWorld(40);
  const [log] = world.logs;
  if (log === undefined) return expect.fail("a world has a session");
  const numbers = new Map<string, number>();
  for (let n = 0; n < 3 * LIMITS.artifactIdsMax; n += 1) {
    // Mostly rewinds to the beginning, before any artifact; sometimes to an abandoned branch.
    if (n % 37 === 36) perform(world, { log: 0, do: "rewind", n: n % 5 === 0 ? n * 7919 : 0, toParent: false });
    const { events } = perform(world, { log: 0, do: "artifact", n: 0, path: n % 50, inTurn: false });
    const fact = events[0]?.fact;
    if (fact?.type !== "artifact.written@1") return expect.fail("it is written");
    expect(fact.data.version).toBeGreaterThan(numbers.get(fact.data.artifactId) ?? 0);
    numbers.set(fact.data.artifactId, fact.data.version);
  }
  expect(numbers.size).toBeGreaterThan(LIMITS.artifactIdsMax);
  expect(log.head.artifactFloor).toBeGreaterThan(1);
  expectBounded(log.head);
});

proves("K17", "granted verbs are kept up to a limit; the oldest one is asked about again", () => {
  const asked = (n: number): readonly Placed["fact"][] => [
    {
      type: "approval.requested@1",
      data: { ...QUESTION, approvalId: `a${n}`, action: { verb: `v${n}`, resource: "r" } },
    },
    {
      type: "approval.answered@1",
      data: { approvalId: `a${n}`, turnId: "t", status: "approved", option: "always", reason: null },
    },
  ];
  const facts = Array.from({ length: 2 * LIMITS.grantsMax }, (_, n) => asked(n)).flat();
  const { grants } = facts.map((fact, n) => placed(n + 1, fact)).reduce(evolve, newSessionState("s"));
  expect(grants).toHaveLength(LIMITS.grantsMax);
  expect(grants.at(-1)).toBe(`v${2 * LIMITS.grantsMax - 1}`);
});

proves("K18", "erasing what was said and done in ended turns changes no state", () => {
  fc.assert(
    fc.property(histories, fc.infiniteStream(fc.boolean()), (commands, erase) => {
      for (const log of runCommands(commands).logs) {
        const ended = new Set(factsOf(log, "turn.ended@1").map(({ data }) => data.turnId));
        const left = log.events.map((event) =>
          isErasable(event, ended) && erase.next().value === true ? { ...event, fact: null } : event,
        );
        const { lastOutputAt: _before, title, ...before } = log.head;
        const { lastOutputAt: _after, title: kept, ...after } = left.reduce(evolve, newSessionState(log.id));
        expect(after).toEqual(before);
        // The title is from what was said: it goes with it.
        expect([title, undefined]).toContain(kept);
      }
    }),
    { numRuns: 200 },
  );
});

proves("K19", "a session's row matches its log", () => {
  fc.assert(
    fc.property(histories, (commands) => {
      for (const log of runCommands(commands).logs) {
        const { head } = log;
        const row = rowsInSteps(log, Infinity).get(`session ${log.id}`);
        expect(row).toEqual(sessionRow(head));
        expect(row).toMatchObject({
          id: log.id,
          head: log.events.at(-1)?.id,
          state: head.phase.at,
          queued: head.queue.length,
          startedAt: instant(1),
          forgotten: factsOf(log, "session.forgotten@1").length > 0,
          turnsEnded: factsOf(log, "turn.ended@1").length,
          waitingFor: Object.keys(head.approvals).length > 0 ? "approval" : null,
        });
        expect(row).toHaveProperty("endedAt", isEnded(head) ? expect.any(String) : null);
      }
    }),
    { numRuns: 100 },
  );
});

proves("K19", "an approval's row shows the last answer", () => {
  fc.assert(
    fc.property(histories, (commands) => {
      for (const log of runCommands(commands).logs) {
        const rows = rowsInSteps(log, 1);
        const over = [...factsOf(log, "approval.answered@1"), ...factsOf(log, "approval.closed@1")];
        const status = new Map<string, string>(over.map(({ data }) => [data.approvalId, data.status]));
        for (const { data } of factsOf(log, "approval.requested@1"))
          expect(rows.get(`approval ${data.approvalId}`)).toMatchObject({
            sessionId: log.id,
            turnId: data.turnId,
            options: data.options,
            status: status.get(data.approvalId) ?? "pending",
          });
      }
    }),
    { numRuns: 100 },
  );
});

const QUESTION = {
  approvalId: "",
  turnId: "t",
  question: "?",
  options: ["always"],
  action: null,
  effectId: null,
  checkpoint: null,
};

function expectBounded(state: SessionState): void {
  expect(JSON.stringify(state).length).toBeLessThan(FOLD_JSON_BYTES_MAX);
  expect(Object.keys(state.artifactNext).length).toBeLessThanOrEqual(LIMITS.artifactIdsMax);
  expect(Object.keys(state.view.artifacts).length).toBeLessThanOrEqual(LIMITS.artifactPathsMax);
  const versions = Object.values(state.view.artifacts).flatMap((history) => history.versions);
  expect(versions.length).toBeLessThanOrEqual(LIMITS.artifactVersionsMax);
  expect(state.recentTurns.length).toBeLessThanOrEqual(RECENT_TURNS_KEPT);
  expect(state.queue.length).toBeLessThanOrEqual(LIMITS.queuedTurnsMax);
  expect(state.grants.length).toBeLessThanOrEqual(LIMITS.grantsMax);
}

/**
 * Said, done or refused inside an ended turn. A question that granted a verb is kept, because the grant depends on it.
 */
function isErasable({ fact }: SessionEvent, ended: ReadonlySet<string>): boolean {
  switch (fact?.type) {
    case "turn.admitted@1":
    case "message.completed@1":
    case "effect.intended@1":
    case "effect.output@1":
    case "turn.interrupt_requested@1":
      return ended.has(fact.data.turnId);
    case "gate.denied@1":
    case "data.erased@1":
    case "call.made@1":
    case "call.begun@1":
    case "x.note@1":
      return true;
    default:
      return false;
  }
}

/** The read models after appends of this many events each. */
function rowsInSteps(log: Log, size: number): ReadonlyMap<string, unknown> {
  const models = new Map<string, unknown>();
  let state = newSessionState(log.id);
  for (let at = 0; at < log.events.length; at += size) {
    const step = foldAll(Session, log.id, state, log.events.slice(at, at + size));
    state = step.state;
    for (const { list, id, put } of step.rows) {
      if (put === null) models.delete(`${list.name} ${id}`);
      else models.set(`${list.name} ${id}`, put);
    }
  }
  return models;
}
