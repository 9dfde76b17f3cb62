import fc from "fast-check";
import { expect } from "vitest";
import { APPROVAL_IDS, anyFacts, EFFECT_IDS, factsAmong, TURN_IDS } from "../../../test/support/kernel-facts.ts";
import { histories } from "../../../test/support/kernel-histories.ts";
import { evolve, placed, runCommands } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import type { AnyFact, Placed } from "../definitions/event.ts";
import { type EventType, SESSION_EVENTS } from "./events.ts";
import { isEnded, newSessionState, type SessionState } from "./state.ts";
import {
  APPROVAL_TRANSITIONS,
  EFFECT_TRANSITIONS,
  ENDED_STATES,
  SESSION_STATES,
  SESSION_TRANSITIONS,
  type Transition,
  TURN_TRANSITIONS,
  transition,
} from "./transitions.ts";

/** Facts of turns, effects and approvals in a living session. */
const workHistory = fc.array(
  factsAmong([
    "session.started@1",
    "turn.admitted@1",
    "turn.started@1",
    "turn.ended@1",
    "effect.intended@1",
    "effect.begun@1",
    "effect.settled@1",
    "approval.requested@1",
    "approval.answered@1",
    "approval.closed@1",
  ]),
  { maxLength: 120, size: "max" },
);
const anyHistory = fc.array(anyFacts, { maxLength: 120, size: "max" });
/** Only facts that move a session: the types of other domains, however many, make no transition rarer. */
const movingHistory = fc.array(
  anyFacts.filter((fact) => SESSION_TRANSITIONS.some(({ on }) => on === fact?.type)),
  { maxLength: 120, size: "max" },
);

proves("K14", "any fact in any state is folded without an exception, and the version is the event's", () => {
  fc.assert(
    fc.property(anyHistory, (facts) => {
      eachMove(facts, (_before, event, after) => {
        expect(after.version).toBe(event.version);
        expect(after.headId).toBe(event.id);
      });
    }),
    { numRuns: 300 },
  );
});

proves("K14", "a fold never changes the state it was given", () => {
  fc.assert(
    fc.property(anyHistory, (facts) => {
      eachMove(facts, (before, event) => {
        const copy = structuredClone(before);
        evolve(before, event);
        expect(before).toEqual(copy);
      });
    }),
    { numRuns: 20 },
  );
});

proves("K15", "a session only makes transitions of its table, whatever the fact", () => {
  fc.assert(
    fc.property(anyHistory, (facts) => {
      eachMove(facts, (before, { fact }, after) => {
        if (after.phase === before.phase) return;
        const type = fact?.type ?? expect.fail("an erased fact moves nothing");
        expect(transition(SESSION_TRANSITIONS, before.phase.at, type as EventType)).toBe(after.phase.at);
      });
    }),
    { numRuns: 300 },
  );
});

proves(
  "K15",
  "a turn, an effect and an approval only make transitions of their tables, as far as the fold keeps them",
  () => {
    fc.assert(
      fc.property(fc.oneof(anyHistory, workHistory), (facts) => {
        eachMove(facts, (before, event, after) => {
          if (isEnded(after)) return;
          for (const id of TURN_IDS) {
            // A turn whose admission was erased can still start and end.
            const start = turnName(before, id) === "none" && event.fact?.type !== "turn.admitted@1" ? "queued" : null;
            checkMove(TURN_TRANSITIONS, start ?? turnName(before, id), turnName(after, id), event, start);
          }
          for (const id of EFFECT_IDS)
            checkMove(
              EFFECT_TRANSITIONS,
              effectName(before, id),
              gone(effectName(before, id), effectName(after, id), "settled"),
              event,
            );
          for (const id of APPROVAL_IDS) {
            const over = event.fact?.type === "approval.answered@1" ? "answered" : "closed";
            checkMove(
              APPROVAL_TRANSITIONS,
              approvalName(before, id),
              gone(approvalName(before, id), approvalName(after, id), over),
              event,
            );
          }
        });
      }),
      { numRuns: 300 },
    );
  },
);

proves("K15", "a fact that fits no transition changes nothing: no count, no queue, no open question", () => {
  fc.assert(
    fc.property(workHistory, (facts) => {
      eachMove(facts, (before, { fact }, after) => {
        const ended = TURN_IDS.filter((id) => turnName(before, id) !== "ended" && turnName(after, id) === "ended");
        expect(after.turnsEnded - before.turnsEnded).toBe(ended.length);
        expect(after.recentTurns.length - before.recentTurns.length).toBe(ended.length);
        expect(new Set(after.queue.map(({ turnId }) => turnId)).size).toBe(after.queue.length);
        if (fact?.type === "turn.started@1" && before.phase.at === "busy") expect(after.queue).toEqual(before.queue);
        if (fact?.type === "approval.requested@1" && approvalName(before, fact.data.approvalId) === "pending")
          expect(after.approvals).toEqual(before.approvals);
      });
    }),
    { numRuns: 300 },
  );
});

proves("K15", "every decided fact of a table causes a transition", () => {
  fc.assert(
    fc.property(histories, (commands) => {
      for (const log of runCommands(commands).logs)
        for (const event of log.events) {
          const [before, after] = [log.states.get(event.version - 1), log.states.get(event.version)];
          if (before === undefined || after === undefined) return expect.fail("every state is kept");
          const { fact } = event;
          if (SESSION_TRANSITIONS.some(({ on }) => on === fact?.type) && fact?.type !== "turn.ended@1")
            expect(after.phase).not.toBe(before.phase);
          if (fact?.type === "turn.ended@1") expect(turnName(before, fact.data.turnId)).toMatch(/queued|running/);
          if (fact?.type === "effect.begun@1") expect(effectName(before, fact.data.effectId)).toBe("intended");
          if (fact?.type === "effect.settled@1")
            expect(effectName(before, fact.data.effectId)).toMatch(/intended|begun/);
        }
    }),
    { numRuns: 200 },
  );
});

proves("K15", "every transition of every table, from each of its states, occurs in some history", () => {
  const walked = new Set<string>();
  const note = (table: string, on: string, from: string) => walked.add(`${table}: ${from} on ${on}`);
  for (const commands of fc.sample(histories, { numRuns: 2000, seed: 20_260_101 }))
    for (const log of runCommands(commands).logs)
      for (const { version, fact } of log.events) {
        const before = log.states.get(version - 1);
        if (before === undefined || fact === null) continue;
        note("session", fact.type, before.phase.at);
        if (!("turnId" in fact.data) || typeof fact.data.turnId !== "string") continue;
        note("turn", fact.type, turnName(before, fact.data.turnId));
        if ("effectId" in fact.data) note("effect", fact.type, effectName(before, String(fact.data.effectId)));
        if ("approvalId" in fact.data) note("approval", fact.type, approvalName(before, fact.data.approvalId));
      }
  // A decision ends the turn first; a log whose `turn.ended@1` was erased must still reach its end.
  for (const facts of fc.sample(movingHistory, { numRuns: 500, seed: 20_260_101 }))
    eachMove(facts, (before, { fact }) => {
      if (before.phase.at === "busy" && fact !== null) note("session", fact.type, "busy");
    });
  const rows = [
    ...rowsOf("session", SESSION_TRANSITIONS),
    ...rowsOf("turn", TURN_TRANSITIONS),
    ...rowsOf("effect", EFFECT_TRANSITIONS),
    ...rowsOf("approval", APPROVAL_TRANSITIONS),
  ];
  expect(rows.filter((row) => !walked.has(row))).toEqual([]);
});

proves("K15", "a table lists each transition once, and only existing states and facts", () => {
  for (const table of [SESSION_TRANSITIONS, TURN_TRANSITIONS, EFFECT_TRANSITIONS, APPROVAL_TRANSITIONS]) {
    const moves = rowsOf("", table);
    expect(new Set(moves).size).toBe(moves.length);
    for (const { on } of table) expect(SESSION_EVENTS).toHaveProperty([on]);
  }
  const reached = new Set<string>(["starting", ...SESSION_TRANSITIONS.map(({ to }) => to)]);
  expect([...reached].toSorted()).toEqual([...SESSION_STATES].toSorted());
  const left = new Set<string>(SESSION_TRANSITIONS.flatMap(({ from }) => from));
  expect(SESSION_STATES.filter((state) => !left.has(state))).toEqual([...ENDED_STATES]);
});

function eachMove<Given extends AnyFact>(
  facts: readonly (Given | null)[],
  check: (before: SessionState, event: Placed<Given>, after: SessionState) => void,
): void {
  facts.reduce((before, fact, n) => {
    const event = placed(n + 1, fact);
    const after = evolve(before, event);
    check(before, event, after);
    return after;
  }, newSessionState("s"));
}

function checkMove<State extends string>(
  table: readonly Transition<EventType, State>[],
  before: State,
  after: State,
  { fact }: Placed,
  unknown: State | null = null,
): void {
  if (after === before || (unknown !== null && after === "none")) return;
  const type = fact?.type ?? expect.fail("an erased fact moves nothing");
  expect(table.filter(({ on, from, to }) => on === type && from.includes(before) && to === after)).toHaveLength(1);
}

/** Whatever leaves the fold has ended. */
function gone<State extends string>(before: State | "none", after: State | "none", end: State): State | "none" {
  return before !== "none" && after === "none" ? end : after;
}

function rowsOf(table: string, rows: readonly Transition<string, string>[]): readonly string[] {
  return rows.flatMap(({ on, from }) => from.map((state) => `${table}: ${state} on ${on}`));
}

type StateIn<Table extends readonly { readonly to: string }[]> = Table[number]["to"];

function turnName(state: SessionState, turnId: string): StateIn<typeof TURN_TRANSITIONS> {
  if (state.phase.at === "busy" && state.phase.turnId === turnId) return "running";
  if (state.queue.some((turn) => turn.turnId === turnId)) return "queued";
  return state.recentTurns.some((turn) => turn.turnId === turnId) ? "ended" : "none";
}

function effectName(state: SessionState, effectId: string): StateIn<typeof EFFECT_TRANSITIONS> {
  return Object.hasOwn(state.effects, effectId) ? (state.effects[effectId]?.status ?? "none") : "none";
}

function approvalName(state: SessionState, approvalId: string): StateIn<typeof APPROVAL_TRANSITIONS> {
  return Object.hasOwn(state.approvals, approvalId) ? "pending" : "none";
}
