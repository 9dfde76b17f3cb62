import { folded } from "../gate/pattern-index.ts";
import type { Automaton, Effort } from "./automaton.ts";

/** What is looked for: the shortest path at which automata stand as wanted. */
export interface Quest {
  readonly effort: Effort;
  readonly statesMax: number;
  /** They read the path as it is spelled. */
  readonly raw: readonly Automaton[];
  /** They read its folded spelling. */
  readonly folds: readonly Automaton[];
  /** Those whose letters may lead somewhere. For all others one letter that no pattern has is as good as any. */
  readonly told: { readonly raw: readonly Automaton[]; readonly folds: readonly Automaton[] };
  /** All patterns. */
  readonly spellings: readonly string[];
  readonly isHopeless: (raw: readonly number[], folds: readonly number[]) => boolean;
  readonly isFound: (raw: readonly number[], folds: readonly number[]) => boolean;
  /** Asks the judge himself. */
  readonly isRight: (path: string) => boolean;
}

export const UNDECIDED = Symbol("undecided");

interface Step {
  readonly raw: readonly number[];
  readonly folds: readonly number[];
  readonly phase: Phase;
  /** Letters that may still join with the next one, not yet folded. */
  readonly pending: string;
  readonly letter: string;
  readonly before: Step | null;
}

/** A segment is neither empty nor `.` nor `..`. */
type Phase = "begin" | "dot" | "dots" | "in";

/** Marks and letters that join with the one before, when a text is composed. */
const JOINS = /[\p{M}\u1161-\u1175\u11a8-\u11c2]/u;
const JOINED_MAX = 16;
/** The small form of this letter depends on its neighbours. */
const CONTEXTUAL = /\u03a3/;
/** One answer of the judge costs about as much as this many moves. */
const JUDGED = 1000;

/** Breadth first. Null: there is no such path. */
export function findPath(quest: Quest): string | null | typeof UNDECIDED {
  const { raw, folds, effort, statesMax } = quest;
  const text = quest.spellings.join("");
  const joins = JOINS.test(text);
  const other = otherLetter(text, joins);
  const start = { raw: raw.map((one) => one.start), folds: folds.map((one) => one.start) };
  const queue: Step[] = [{ ...start, phase: "begin", pending: "", letter: "", before: null }];
  const seen = new Set<string>();
  let isSure = !(CONTEXTUAL.test(text) && folds.length > 0);
  for (const step of queue) {
    for (const letter of lettersAt(step, quest, other)) {
      const next = advance(step, letter, quest, joins);
      if (next === null) continue;
      if (next === UNDECIDED || effort.left < 0 || seen.size >= statesMax) return UNDECIDED;
      const key = keyOf(next);
      if (seen.has(key)) continue;
      seen.add(key);
      const ended = feed(next.folds, next.pending, folds);
      if (next.phase === "in" && quest.isFound(next.raw, ended)) {
        const path = spell(next);
        if (quest.isRight(path)) return path;
        effort.left -= JUDGED;
        isSure = false;
      }
      queue.push(next);
    }
  }
  return isSure ? null : UNDECIDED;
}

function lettersAt({ raw, folds }: Step, quest: Quest, other: string): readonly string[] {
  const told = new Set<string>();
  const hear = (all: readonly Automaton[], states: readonly number[], heard: readonly Automaton[]) => {
    all.forEach((one, at) => {
      if (heard.includes(one)) for (const letter of one.letters(states[at] ?? 0)) told.add(letter);
    });
  };
  hear(quest.raw, raw, quest.told.raw);
  hear(quest.folds, folds, quest.told.folds);
  return [...told, other, "/"];
}

/** Null: no path goes on so. */
function advance(from: Step, letter: string, quest: Quest, joins: boolean): Step | null | typeof UNDECIDED {
  const phase = phaseAfter(from.phase, letter);
  if (phase === null) return null;
  const raw = quest.raw.map((one, at) => one.step(from.raw[at] ?? 0, letter));
  const isJoined = joins && JOINS.test(letter);
  const ready = isJoined ? "" : joins ? from.pending : letter;
  const pending = isJoined ? from.pending + letter : joins ? letter : "";
  if (pending.length > JOINED_MAX) return UNDECIDED;
  const folds = feed(from.folds, ready, quest.folds);
  return quest.isHopeless(raw, folds) ? null : { raw, folds, phase, pending, letter, before: from };
}

function phaseAfter(phase: Phase, letter: string): Phase | null {
  if (letter === "/") return phase === "in" ? "begin" : null;
  if (/[\\\p{Cc}]/u.test(letter)) return null;
  if (letter !== ".") return "in";
  return phase === "begin" ? "dot" : phase === "dot" ? "dots" : "in";
}

function feed(states: readonly number[], text: string, folds: readonly Automaton[]): readonly number[] {
  if (text === "") return states;
  const letters = [...folded(text)];
  return folds.map((one, at) => letters.reduce((state, letter) => one.step(state, letter), states[at] ?? 0));
}

function keyOf({ raw, folds, phase, pending }: Step): string {
  return `${raw.join(" ")} ${folds.join(" ")} ${phase} ${pending}`;
}

function spell(last: Step): string {
  const letters: string[] = [];
  for (let step: Step | null = last; step !== null; step = step.before) letters.push(step.letter);
  return letters.toReversed().join("");
}

/** A letter that no pattern has: only stars match it. Beside marks it is one that joins with none. */
function otherLetter(text: string, joins: boolean): string {
  const taken = new Set([...text, ...folded(text)]);
  const plain = joins ? [] : [..."xyzqwvkjfgh0123456789_"];
  const ideographs = Array.from({ length: taken.size + 1 }, (_, at) => String.fromCodePoint(0x4e00 + at));
  return [...plain, ...ideographs].find((letter) => !taken.has(letter)) ?? "";
}
