import fc from "fast-check";
import { expect } from "vitest";
import type { Command } from "../../../test/support/kernel-commands.ts";
import { histories } from "../../../test/support/kernel-histories.ts";
import {
  eventsOnPath,
  factsOf,
  isOfType,
  logOf,
  perform,
  runCommands,
  type Step,
  stateAt,
  type World,
} from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { LIMITS } from "../limits.ts";
import { newSessionState } from "./state.ts";

proves("K8", "a rewind restores artifacts, todo and path exactly as of its target", () => {
  forEveryRewind((world, { after }, target) => {
    expect(after.view.artifacts).toEqual(target.view.artifacts);
    expect(after.view.todo).toEqual(target.view.todo);
    expect(eventsOnPath(world, after.view, after.version)).toEqual([
      ...eventsOnPath(world, target.view, target.version),
      `${after.stream}@${after.version}`,
    ]);
  });
});

proves("K8", "a rewind can go to any event, also to one that an earlier rewind left behind, and back again", () => {
  const world = runCommands([artifact(0), artifact(0), artifact(1)]);
  const [log] = world.logs;
  if (log === undefined) return expect.fail("a world has a session");
  const there = log.head;
  const back = perform(world, { log: 0, do: "rewind", n: 0, toParent: false });
  expect(back.after.view.artifacts).toEqual({});
  const forth = perform(world, { log: 0, do: "rewind", n: there.version - 1, toParent: false });
  expect(forth.after.view.artifacts).toEqual(there.view.artifacts);
  expect(eventsOnPath(world, forth.after.view, forth.after.version)).toEqual([
    ...[1, 2, 3, 4].map((version) => `${log.stream}@${version}`),
    `${log.stream}@${forth.after.version}`,
  ]);
});

proves("K9", "a rewind changes only the view: no effect, approval, grant, turn, count, number or label", () => {
  forEveryRewind((_world, { before, after }) => {
    const { view: _before, version: _v, headId: _h, ...kept } = before;
    const { view: _after, version: _w, headId: _i, ...now } = after;
    expect(now).toEqual(kept);
  });
});

proves("K9", "a session with an admitted turn that has not ended cannot be rewound", () => {
  fc.assert(
    fc.property(histories, (commands) => {
      for (const { command, before, events } of runCommands(commands).steps) {
        const waiting = before.queue.length > 0 && before.phase.at !== "suspended";
        if (command.do === "rewind" && (before.phase.at === "busy" || waiting)) expect(events).toEqual([]);
      }
    }),
  );
});

proves("K10", "a fork starts with its parent's view at that point and nothing else of the parent", () => {
  forEveryFork((world, { log, after }) => {
    const { parent } = log;
    if (parent === null) return expect.fail("a fork has a parent");
    const at = stateAt(parent.log, parent.version);
    expect(after.view.artifacts).toEqual(at.view.artifacts);
    expect(after.view.todo).toEqual(at.view.todo);
    expect(eventsOnPath(world, after.view, 1)).toEqual([
      ...eventsOnPath(world, at.view, parent.version),
      `${log.stream}@1`,
    ]);
    const { queue, turnsEnded, recentTurns, effects, approvals, grants } = newSessionState(log.id);
    expect(after).toMatchObject({
      queue,
      turnsEnded,
      recentTurns,
      effects,
      approvals,
      grants,
      phase: { at: "starting" },
    });
    expect(after.root).toBe(parent.log.head.root);
  });
});

proves("K10", "a fork leaves its parent unchanged, and later changes of either stay its own", () => {
  fc.assert(
    fc.property(histories, (commands) => {
      const world = runCommands(commands);
      for (const { log, before, after } of world.steps) {
        const others = world.logs.filter((other) => other !== log);
        expect(others.map(({ stream }) => stream)).not.toContain(after.stream);
        expect(after.stream).toBe(before.stream);
      }
      for (const log of world.logs)
        for (const [version, state] of log.states)
          expect(stateAt({ ...log, states: new Map() }, version)).toEqual(state);
    }),
    { numRuns: 40 },
  );
});

proves("K11", "the versions of an artifact only rise, in the stream and in every view", () => {
  fc.assert(
    fc.property(histories, (commands) => {
      for (const log of runCommands(commands).logs) {
        const last = new Map<string, number>();
        for (const { artifactId, versions } of Object.values(log.states.get(1)?.view.artifacts ?? {}))
          last.set(artifactId, versions.at(-1)?.version ?? 0);
        for (const { data } of factsOf(log, "artifact.written@1")) {
          expect(data.version).toBeGreaterThan(last.get(data.artifactId) ?? 0);
          last.set(data.artifactId, data.version);
        }
        for (const { view } of log.states.values())
          for (const { versions } of Object.values(view.artifacts)) {
            const numbers = versions.map(({ version }) => version);
            expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
          }
      }
    }),
    { numRuns: 200 },
  );
});

proves("K11", "a fork rewound to a later artifact version of its parent continues after that number", () => {
  const world = runCommands([artifact(0), artifact(0), artifact(0), { log: 0, do: "rewind", n: 1, toParent: false }]);
  perform(world, { log: 0, do: "fork", n: 4 });
  perform(world, { log: 1, do: "rewind", n: 3, toParent: true });
  const { events } = perform(world, { ...artifact(0), log: 1 });
  expect(events[0]?.fact).toMatchObject({ type: "artifact.written@1", data: { version: 4 } });
});

proves("K11", "a fork rewound to an earlier artifact version of its parent does not reuse its number", () => {
  const world = runCommands([artifact(0), artifact(0), artifact(0)]);
  perform(world, { log: 0, do: "fork", n: 3 });
  perform(world, { log: 1, do: "rewind", n: 1, toParent: true });
  const { events, after } = perform(world, { ...artifact(0), log: 1 });
  expect(events[0]?.fact).toMatchObject({ type: "artifact.written@1", data: { version: 4 } });
  expect(after.view.artifacts["files/0"]?.versions.map(({ version }) => version)).toEqual([1, 4]);
});

proves("K12", "a path has at most the limit of segments and still covers the same events", () => {
  const world = runCommands([]);
  const expected = [`${world.logs[0]?.stream}@1`];
  for (let n = 0; n < 3 * LIMITS.pathSegmentsMax; n += 1) {
    const { after } = perform(world, { log: 0, do: "rewind", n: after0(world) - 1, toParent: false });
    expected.push(`${after.stream}@${after.version}`);
    expect(after.view.path.length).toBeLessThanOrEqual(LIMITS.pathSegmentsMax);
    if (n % 50 === 0) expect(eventsOnPath(world, after.view, after.version)).toEqual(expected);
  }
});

proves("K12", "only the last segment of a path is open, and it grows in the session's own stream", () => {
  fc.assert(
    fc.property(histories, (commands) => {
      for (const log of runCommands(commands).logs)
        for (const { view, version } of log.states.values()) {
          if (version === 0) continue;
          expect(view.path.length).toBeLessThanOrEqual(LIMITS.pathSegmentsMax);
          expect(view.path.at(-1)).toMatchObject({ kind: "own", stream: log.stream, to: null });
          for (const segment of view.path.slice(0, -1)) if (segment.kind === "own") expect(segment.to).not.toBeNull();
        }
    }),
  );
});

function artifact(path: number): Command<"artifact"> {
  return { log: 0, do: "artifact", n: 0, path, inTurn: false };
}

function after0(world: World): number {
  return world.logs[0]?.head.version ?? 0;
}

function forEveryRewind(check: (world: World, step: Step, target: ReturnType<typeof stateAt>) => void): void {
  let seen = 0;
  fc.assert(
    fc.property(histories, (commands) => {
      const world = runCommands(commands);
      for (const step of world.steps) {
        const given = step.events[0]?.fact ?? null;
        if (!isOfType(given, "session.rewound@1")) continue;
        seen += 1;
        check(world, step, stateAt(logOf(world, given.data.to.stream), given.data.to.version));
      }
    }),
    { numRuns: 200 },
  );
  expect(seen).toBeGreaterThan(0);
}

function forEveryFork(check: (world: World, step: Step) => void): void {
  let seen = 0;
  fc.assert(
    fc.property(histories, (commands) => {
      const world = runCommands(commands);
      const forks = world.steps.filter(({ command, events }) => command.do === "fork" && events.length > 0);
      seen += forks.length;
      for (const step of forks) check(world, step);
    }),
    { numRuns: 200 },
  );
  expect(seen).toBeGreaterThan(0);
}
