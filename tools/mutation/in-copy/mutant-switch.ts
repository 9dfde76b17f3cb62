/**
 * Says which mutant is switched on. Lies at the root of the copy of the tree; every instrumented file imports it, also in
 * worker threads and child processes, which read the `active` file when they start.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What the tests' runner writes for threads and processes that a test starts. */
export interface Active {
  /** 0: none. */
  readonly mutant: number;
  /** Which try of a test it is written for. */
  readonly epoch: number;
  readonly recording: boolean;
}

export interface MutantSwitch {
  mutant: number;
  calls: number;
  /** Mutants reached since it was emptied; null: nobody asks. */
  reached: Set<number> | null;
}

/** More calls within one try mean a loop that never ends. */
const CALLS_MAX = 30_000_000;
export const ACTIVE_FILE = "active.json";
export const REACHED_FILE = "reached.txt";

const HERE = import.meta.dirname;
const shared = globalThis as { nomosMutants?: MutantSwitch };
shared.nomosMutants ??= start();
export const mutantSwitch: MutantSwitch = shared.nomosMutants;

export function $m(id: number): boolean {
  if (mutantSwitch.mutant === 0) {
    mutantSwitch.reached?.add(id);
    return false;
  }
  mutantSwitch.calls += 1;
  if (mutantSwitch.calls > CALLS_MAX) throw new Error("The mutant never ends.");
  return mutantSwitch.mutant === id;
}

function start(): MutantSwitch {
  const { mutant, epoch, recording } = readActive();
  return { mutant, calls: 0, reached: recording ? reportingSet(epoch) : null };
}

/** Unreadable inside a sandbox that hides the tree: no mutant there. */
function readActive(): Active {
  try {
    return JSON.parse(readFileSync(join(HERE, ACTIVE_FILE), "utf8"));
  } catch {
    return { mutant: 0, epoch: 0, recording: false };
  }
}

/** Writes each id once, at once: the process may be killed any moment. */
function reportingSet(epoch: number): Set<number> {
  const ids = new Set<number>();
  const add = ids.add.bind(ids);
  ids.add = (id) => {
    if (ids.has(id)) return ids;
    try {
      appendFileSync(join(HERE, REACHED_FILE), `${epoch} ${id}\n`);
    } catch {
      // A process that may not write here is not seen; its mutants are tried on whole files.
    }
    return add(id);
  };
  return ids;
}
