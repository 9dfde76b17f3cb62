import fc from "fast-check";
import type { End } from "../../src/kernel/index.ts";
import type { Command } from "./kernel-commands.ts";

const LOG = fc.nat({ max: 7 });
const N = fc.nat({ max: 7 });
/** Picks the newest far more often than an old one. */
const NEWEST = fc.oneof({ arbitrary: fc.constant(0), weight: 4 }, { arbitrary: N, weight: 1 });

const ENDS: fc.Arbitrary<End> = fc.oneof(
  fc.record({ kind: fc.constant("exited"), exitCode: fc.constantFrom(0, 1, null) }),
  fc.record({ kind: fc.constant("killed"), reason: fc.constant("asked for") }),
  fc.record({ kind: fc.constant("failed"), code: fc.constant("agent_failed"), message: fc.constant("it broke") }),
);

/**
 * Commands that keep a session going are frequent, those that stop it rare; else most commands would meet a stopped
 * session.
 */
const MOVING: readonly fc.Arbitrary<Command>[] = [
  fc.record({ log: LOG, do: fc.constantFrom("start", "wake", "resume") }),
  fc.record({ log: LOG, do: fc.constant("next") }),
];

const WORKING: readonly fc.Arbitrary<Command>[] = [
  fc.record({ log: LOG, do: fc.constant("admit"), queue: fc.boolean() }),
  fc.record({
    log: LOG,
    do: fc.constant("endTurn"),
    n: N,
    outcome: fc.constantFrom("completed", "failed", "interrupted"),
  }),
  fc.record({
    log: LOG,
    do: fc.constant("intend"),
    n: NEWEST,
    ask: fc.boolean(),
    redo: fc.constantFrom("safe", "ask", "failed"),
  }),
  fc.record({ log: LOG, do: fc.constantFrom("begin", "output", "message"), n: NEWEST }),
  fc.record({ log: LOG, do: fc.constant("settle"), n: NEWEST, outcome: fc.constantFrom("done", "failed", "refused") }),
  fc.record({ log: LOG, do: fc.constant("ask"), n: N, checkpoint: fc.boolean() }),
  fc.record({
    log: LOG,
    do: fc.constant("answer"),
    n: NEWEST,
    answer: fc.constantFrom("reject", "yes", "once", "always", "unheard-of"),
  }),
  fc.record({ log: LOG, do: fc.constant("artifact"), n: N, path: fc.nat({ max: 5 }), inTurn: fc.boolean() }),
];

const REWINDING: fc.Arbitrary<Command> = fc.record({
  log: LOG,
  do: fc.constant("rewind"),
  n: fc.nat({ max: 10_000 }),
  toParent: fc.boolean(),
});

const BESIDE: readonly fc.Arbitrary<Command>[] = [
  fc.record({ log: LOG, do: fc.constant("todo"), items: fc.nat({ max: 3 }) }),
  fc.record({ log: LOG, do: fc.constantFrom("suspend", "hibernate", "label"), n: N }),
  fc.record({ log: LOG, do: fc.constant("deny"), n: N }),
  fc.record({ log: LOG, do: fc.constantFrom("custom", "crash", "erase", "call", "interrupt", "beginTurn") }),
];

const FORKING: fc.Arbitrary<Command> = fc.record({ log: LOG, do: fc.constant("fork"), n: fc.nat({ max: 10_000 }) });

const ENDING: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: fc.record({ log: LOG, do: fc.constant("end"), end: ENDS }), weight: 4 },
  { arbitrary: fc.record({ log: LOG, do: fc.constant("forget") }), weight: 1 },
);

/** Commands of a session that never ends. */
export const goingOn: fc.Arbitrary<Command> = fc.oneof(
  ...weighted(MOVING, 20),
  ...weighted(WORKING, 10),
  ...weighted(BESIDE, 3),
  { arbitrary: REWINDING, weight: 10 },
);

const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: goingOn, weight: 150 },
  { arbitrary: FORKING, weight: 2 },
  { arbitrary: ENDING, weight: 1 },
);

const COMMANDS_MAX = 200;
export const histories = fc.array(anyCommand, { maxLength: COMMANDS_MAX, size: "max" });

function weighted<T>(list: readonly fc.Arbitrary<T>[], weight: number): readonly fc.WeightedArbitrary<T>[] {
  return list.map((arbitrary) => ({ arbitrary, weight }));
}
