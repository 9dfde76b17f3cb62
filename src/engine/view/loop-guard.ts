import { createHash } from "node:crypto";
import { canonicalJson, type Json } from "../../kernel/index.ts";

/**
 * Notices a model that does not get on: the same call with the same result, a tool that fails again and again, or too
 * many steps. Calls of one step count once: the model has not seen the result of any of them. One guard per turn.
 */
export interface LoopGuard {
  /** Before each step. */
  readonly step: () => GuardVerdict;
  /** After each call, in the order of the calls. */
  readonly ended: (call: GuardedCall) => GuardVerdict;
}

export interface GuardedCall {
  readonly name: string;
  /** As the model wrote it. */
  readonly input: string;
  readonly output: string;
  readonly isError: boolean;
}

export type GuardVerdict =
  | { readonly kind: "go" }
  /** `note` belongs into the result, for the model. */
  | { readonly kind: "warn"; readonly note: string }
  | { readonly kind: "stop"; readonly reason: "repeats" | "fails" | "steps"; readonly message: string };

export interface GuardLimits {
  readonly stepsMax: number;
  /** Of earlier runs of the turn. */
  readonly stepsBefore: number;
  readonly repeatsWarn: number;
  readonly repeatsMax: number;
  readonly failuresWarn: number;
  readonly failuresMax: number;
}

const GUARD_LIMITS: Omit<GuardLimits, "stepsMax"> = {
  stepsBefore: 0,
  repeatsWarn: 3,
  repeatsMax: 6,
  failuresWarn: 3,
  failuresMax: 8,
};

export function createLoopGuard(
  given: Pick<GuardLimits, "stepsMax"> & Partial<Omit<GuardLimits, "stepsMax">>,
): LoopGuard {
  const limits = { ...GUARD_LIMITS, ...given };
  const repeats = createRepeats();
  const failures = new Map<string, Counted>();
  let steps = limits.stepsBefore;
  return {
    step() {
      steps += 1;
      return steps <= limits.stepsMax ? GO : stop("steps", `More than ${limits.stepsMax} steps in one turn.`);
    },
    ended(call) {
      const same = repeats.count(call, steps);
      const { count: failed } = call.isError ? oneMore(failures, call.name, steps) : { count: 0 };
      if (!call.isError) failures.set(call.name, { count: 0, step: steps });
      if (same >= limits.repeatsMax) return stop("repeats", `${call.name}: ${same} times the same call and result.`);
      if (failed >= limits.failuresMax) return stop("fails", `${call.name} failed ${failed} times in a row.`);
      if (same >= limits.repeatsWarn) return warn(`this is call ${same} with the same input and the same result`);
      if (failed >= limits.failuresWarn) return warn(`${call.name} has failed ${failed} times in a row`);
      return GO;
    },
  };
}

const GO: GuardVerdict = { kind: "go" };

function warn(what: string): GuardVerdict {
  return { kind: "warn", note: `[${what}; try another way, or say what is in your way]` };
}

function stop(reason: "repeats" | "fails" | "steps", message: string): GuardVerdict {
  return { kind: "stop", reason, message };
}

/**
 * Counts equal calls since something new happened: a test that is run again after each edit is no loop, two calls that
 * take turns are one.
 */
function createRepeats() {
  const seen = new Set<string>();
  const counts = new Map<string, Counted>();
  return {
    count({ name, input, output, isError }: GuardedCall, step: number): number {
      const key = createHash("sha256")
        .update(JSON.stringify([name, canonicalInput(input), output, isError]))
        .digest("base64");
      if (!seen.has(key)) counts.clear();
      seen.add(key);
      return oneMore(counts, key, step).count;
    },
  };
}

interface Counted {
  readonly count: number;
  /** In which it was counted last. */
  readonly step: number;
}

function oneMore(counts: Map<string, Counted>, key: string, step: number): Counted {
  const before = counts.get(key) ?? { count: 0, step: -1 };
  const after = before.step === step ? before : { count: before.count + 1, step };
  counts.set(key, after);
  return after;
}

function canonicalInput(input: string): string {
  try {
    const parsed: Json = JSON.parse(input);
    return canonicalJson(parsed);
  } catch {
    // A model may write anything; then the same text is the same input.
    return input;
  }
}
