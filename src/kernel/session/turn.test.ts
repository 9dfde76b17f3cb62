import fc from "fast-check";
import { expect } from "vitest";
import type { Command } from "../../../test/support/kernel-commands.ts";
import { histories } from "../../../test/support/kernel-histories.ts";
import {
  evolve,
  factsOf,
  isOfType,
  type Log,
  perform,
  placed,
  runCommands,
  type World,
} from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { LIMITS } from "../limits.ts";
import { isRefusal } from "../refusal.ts";
import { isBusy, outlivesDaemon } from "./decide-life.ts";
import { admitTurn, beginTurn, notRunning, replaceTodo, startNextTurn, writeArtifact } from "./decide-turn.ts";
import { isEnded, RECENT_TURNS_KEPT } from "./state.ts";

const PROMPT = { text: "go on", blob: null, bytes: 5 };

proves("K2", "a busy or suspended session takes a prompt only into its queue; an ended one takes none", () => {
  forEveryLog((log) => {
    for (const state of log.states.values()) {
      const plain = admitTurn(state, { turnId: "new", prompt: PROMPT, queue: false });
      const queued = admitTurn(state, { turnId: "new", prompt: PROMPT, queue: true });
      if (isEnded(state)) {
        expect([plain, queued]).toMatchObject([{ refused: "session_ended" }, { refused: "session_ended" }]);
        continue;
      }
      const suspended = state.phase.at === "suspended";
      const free = !isBusy(state) && !suspended;
      const no = { refused: suspended ? "session_suspended" : "session_busy" };
      expect(plain).toMatchObject(free ? [{ type: "turn.admitted@1", data: { queued: false } }] : no);
      expect(queued).toMatchObject([{ type: "turn.admitted@1", data: { queued: !free } }]);
    }
  });
});

proves("K2", "a turn driven from outside starts at once, and only in a free session", () => {
  forEveryLog((log) => {
    for (const state of log.states.values()) {
      const decision = beginTurn(state, { turnId: "new", prompt: PROMPT });
      const free = !isEnded(state) && !isBusy(state) && state.phase.at !== "suspended";
      expect(isRefusal(decision)).toBe(!free);
      if (isRefusal(decision)) continue;
      const after = decision.reduce((at, fact) => evolve(at, placed(at.version + 1, fact)), state);
      expect(after.phase).toMatchObject({ at: "busy", turnId: "new" });
      expect(after.queue).toEqual([]);
    }
  });
});

proves("K2", "a session is busy from the admission of a turn until its end", () => {
  forEveryLog((log) => {
    for (const state of log.states.values()) {
      const turn = state.phase.at === "busy" || (state.queue.length > 0 && state.phase.at !== "suspended");
      expect(isBusy(state)).toBe(turn && !isEnded(state));
      if (outlivesDaemon(state)) expect(isBusy(state)).toBe(true);
      const next = startNextTurn(state);
      expect(next).toHaveLength(state.phase.at === "idle" && state.queue.length > 0 ? 1 : 0);
    }
  });
});

proves("K2", "facts are written to a turn only while it runs; a late call is told how the turn ended", () => {
  forEveryLog((log) => {
    let running: string | null = null;
    for (const { fact } of log.events) {
      if (isOfType(fact, "turn.started@1")) running = fact.data.turnId;
      else if (isOfType(fact, "turn.ended@1")) running = fact.data.turnId === running ? null : running;
      else if (
        isOfType(fact, "message.completed@1") ||
        isOfType(fact, "artifact.written@1") ||
        isOfType(fact, "gate.denied@1")
      )
        expect([running, null]).toContain(fact.data.turnId);
    }
    for (const { data } of factsOf(log, "turn.ended@1").slice(-RECENT_TURNS_KEPT))
      expect(notRunning(log.head, data.turnId)).toEqual({
        refused: "turn_ended",
        details: { turnId: data.turnId, outcome: data.outcome },
      });
    expect(notRunning(log.head, "nothing")).toMatchObject({ refused: "turn_not_found" });
  });
});

proves("K13", "the queue, the open effects and the open questions are limited", () => {
  const world = busyWorld();
  for (let n = 0; n < 100; n += 1) perform(world, { log: 0, do: "admit", queue: true });
  expect(world.logs[0]?.head.queue).toHaveLength(LIMITS.queuedTurnsMax);
  for (let n = 0; n < 40; n += 1) perform(world, { log: 0, do: "ask", n: 0, checkpoint: true });
  for (let n = 0; n < 100; n += 1) perform(world, intend(n % 2 === 0));
  const { approvals = {}, effects = {} } = world.logs[0]?.head ?? {};
  expect(Object.keys(effects)).toHaveLength(LIMITS.openEffectsMax);
  expect(Object.keys(approvals)).toHaveLength(LIMITS.pendingApprovalsMax);
  expect(perform(world, { log: 0, do: "ask", n: 0, checkpoint: true }).decision).toMatchObject({
    refused: "queue_full",
  });
});

proves("K13", "a question over the limit is refused, also when an effect asks it", () => {
  const world = busyWorld();
  for (let n = 0; n < LIMITS.pendingApprovalsMax; n += 1) perform(world, { log: 0, do: "ask", n: 0, checkpoint: true });
  expect(perform(world, intend(true)).decision).toMatchObject({ refused: "queue_full" });
  expect(isRefusal(perform(world, intend(false)).decision)).toBe(false);
});

proves("K13", "artifact paths and todo items are limited; a known path can get new versions", () => {
  const world = runCommands([]);
  for (let path = 0; path < LIMITS.artifactPathsMax; path += 1)
    perform(world, { log: 0, do: "artifact", n: 0, path, inTurn: false });
  const state = world.logs[0]?.head ?? expect.fail("a world has a session");
  const content = { newArtifactId: "new", blob: "b", bytes: 1, mediaType: "text/plain", turnId: null };
  for (const path of ["one-more", "constructor", "__proto__"])
    expect(writeArtifact(state, { ...content, path })).toMatchObject({ refused: "artifact_limit" });
  expect(writeArtifact(state, { ...content, path: "files/0" })).toMatchObject([{ data: { version: 2 } }]);
  const items = Array.from({ length: LIMITS.todoItemsMax + 1 }, () => ({ text: "it", status: "open" }) as const);
  expect(replaceTodo(state, items, null)).toMatchObject({ refused: "todo_limit" });
  expect(replaceTodo(state, items.slice(1), null)).toHaveLength(1);
});

function busyWorld(): World {
  return runCommands([
    { log: 0, do: "start" },
    { log: 0, do: "admit", queue: false },
    { log: 0, do: "next" },
  ]);
}

function intend(ask: boolean): Command<"intend"> {
  return { log: 0, do: "intend", n: 0, ask, redo: "safe" };
}

function forEveryLog(check: (log: Log) => void): void {
  fc.assert(
    fc.property(histories, (commands) => runCommands(commands).logs.forEach(check)),
    { numRuns: 200 },
  );
}
