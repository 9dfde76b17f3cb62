import fc from "fast-check";
import { expect } from "vitest";
import { histories } from "../../../test/support/kernel-histories.ts";
import { factsOf, isOfType, type Log, perform, runCommands, SPEC } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { isRefusal } from "../refusal.ts";
import { recordDenial } from "./decide-effect.ts";
import {
  endSession,
  forkSession,
  hibernateSession,
  openSession,
  resumeSession,
  rewindSession,
  startSession,
  suspendSession,
  wakeSession,
} from "./decide-life.ts";
import { addCustom, endTurn, replaceTodo, requestInterrupt } from "./decide-turn.ts";
import { aipStatus, isEnded } from "./state.ts";
import { SESSION_STATES } from "./transitions.ts";

/** Facts that an ended session still takes: a label, a title, archiving, forgetting, erasure and calls. */
const AFTER_THE_END = [
  "session.labelled@1",
  "session.titled@1",
  "session.archived@1",
  "session.forgotten@1",
  "data.erased@1",
  "call.made@1",
];

proves("K1", "at most one turn runs at any time", () => {
  forEveryLog((log) => {
    const running = new Set<string>();
    for (const { fact } of log.events) {
      if (isOfType(fact, "turn.started@1")) running.add(fact.data.turnId);
      if (isOfType(fact, "turn.ended@1")) running.delete(fact.data.turnId);
      expect(running.size).toBeLessThanOrEqual(1);
    }
    expect([...running]).toEqual(log.head.phase.at === "busy" ? [log.head.phase.turnId] : []);
  });
});

proves("K2", "a turn starts at most once and ends at most once, and turns start in order of arrival", () => {
  forEveryLog((log) => {
    const admitted = factsOf(log, "turn.admitted@1").map(({ data }) => data.turnId);
    const started = factsOf(log, "turn.started@1").map(({ data }) => data.turnId);
    const ended = factsOf(log, "turn.ended@1").map(({ data }) => data.turnId);
    expect(new Set(started).size).toBe(started.length);
    expect(new Set(ended).size).toBe(ended.length);
    expect(started).toEqual(admitted.filter((turnId) => started.includes(turnId)));
    expect(ended.filter((turnId) => !admitted.includes(turnId))).toEqual([]);
    expect(log.head.turnsEnded).toBe(ended.length);
    const open = admitted.filter((turnId) => !ended.includes(turnId));
    const { phase, queue } = log.head;
    expect(open).toEqual([...(phase.at === "busy" ? [phase.turnId] : []), ...queue.map(({ turnId }) => turnId)]);
  });
});

proves("K2", "every admitted turn of an ended session has ended exactly once", () => {
  fc.assert(
    fc.property(histories, (commands) => {
      const world = runCommands(commands);
      for (const [log] of world.logs.entries()) {
        perform(world, { log, do: "end", end: { kind: "killed", reason: "the test is over" } });
      }
      for (const log of world.logs) {
        const admitted = factsOf(log, "turn.admitted@1").map(({ data }) => data.turnId);
        const ended = factsOf(log, "turn.ended@1").map(({ data }) => data.turnId);
        expect(ended.toSorted()).toEqual(admitted.toSorted());
      }
    }),
  );
});

proves(
  "K3",
  "an ended session has nothing open, and accepts only a label and what archives, forgets or erases it",
  () => {
    forEveryLog((log) => {
      const end = log.events.findIndex(({ fact }) => /^session\.(exited|killed|failed)@1$/.test(fact?.type ?? ""));
      expect(isEnded(log.head)).toBe(end >= 0);
      if (end < 0) return;
      const later = log.events.slice(end + 1).map(({ fact }) => fact?.type);
      expect(later.filter((type) => !AFTER_THE_END.includes(type ?? ""))).toEqual([]);
      const { queue, effects, approvals } = log.head;
      expect({ queue, effects, approvals }).toEqual({ queue: [], effects: {}, approvals: {} });
      const atEnd = log.states.get(end + 1);
      const { version: _version, headId: _head, label: _label, forgotten: _forgotten, ...rest } = log.head;
      expect(atEnd).toMatchObject(rest);
    });
  },
);

proves("K3", "any command to an ended session is refused as ended", () => {
  forEveryLog(({ head }) => {
    if (!isEnded(head)) return;
    const answers = [
      startSession(head, "fresh"),
      suspendSession(head, "a reason"),
      resumeSession(head),
      hibernateSession(head, "a reason"),
      wakeSession(head, "native"),
      rewindSession(head, { stream: head.stream, version: 1, eventId: "" }, head.view),
      endSession(head, { kind: "killed", reason: "again" }),
      endTurn(head, { turnId: "t", outcome: "completed", error: null }),
      replaceTodo(head, [], null),
      addCustom(head, null, []),
      recordDenial(head, { verb: "v", resource: "r", rules: [], turnId: null }),
    ];
    expect(answers).toEqual(answers.map(() => expect.objectContaining({ refused: "session_ended" })));
    expect(requestInterrupt(head)).toEqual([]);
  });
});

proves("K3", "a forgotten session has ended", () => {
  forEveryLog((log) => {
    if (log.head.forgotten) expect(isEnded(log.head)).toBe(true);
  });
});

proves("K4", "a refusal changes nothing, and the fold shows exactly what was decided", () => {
  fc.assert(
    fc.property(histories, (commands) => {
      const world = runCommands(commands);
      for (const { decision, before, events, after } of world.steps) {
        if (isRefusal(decision) || decision.length === 0) expect(after).toBe(before);
        else expect(after.version).toBe(before.version + events.length);
        expect(after.headId).toBe(events.at(-1)?.id ?? before.headId);
      }
    }),
  );
});

proves("K4", "a stream is opened or forked once, and only while it is empty", () => {
  forEveryLog(({ head }) => {
    const from = { sessionId: "p", stream: "session/p", version: 1, eventId: "e" };
    const refused = { refused: "session_exists" };
    expect(openSession(head, { spec: SPEC, label: null })).toMatchObject(refused);
    expect(forkSession(head, { spec: SPEC, label: null, from, root: "p", view: head.view })).toMatchObject(refused);
  });
});

proves("K4", "each state maps to exactly one of AIP-46's five statuses", () => {
  expect(Object.fromEntries(SESSION_STATES.map((name) => [name, aipStatus(name)]))).toEqual({
    starting: "starting",
    idle: "running",
    busy: "running",
    suspended: "running",
    hibernated: "running",
    exited: "exited",
    killed: "killed",
    error: "error",
  });
});

function forEveryLog(check: (log: Log) => void): void {
  fc.assert(
    fc.property(histories, (commands) => runCommands(commands).logs.forEach(check)),
    { numRuns: 200 },
  );
}
