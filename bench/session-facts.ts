import { randomBytes } from "node:crypto";
import { sessionName, uuidv7Maker } from "../src/domains/index.ts";
import { type CustomFact, type Fact, fact } from "../src/kernel/index.ts";
import type { NewEvent } from "../src/store/index.ts";
import { seededRandom } from "./harness.ts";

/** Events as the supervisor makes them, for logs written directly through the store. */
export interface EventMaker {
  readonly newId: () => string;
  readonly event: (fact: Fact | CustomFact) => NewEvent;
  readonly opened: (label: string | null) => NewEvent;
  /** About 300 bytes of data. */
  readonly custom: () => NewEvent;
  /** A turn from its admission to its end: five events. */
  readonly turn: () => readonly NewEvent[];
  /** A few words of the vocabulary that turns use. */
  readonly words: (count: number) => string;
}

const VOCABULARY_WORDS = 4096;
const PROMPT_WORDS = 12;
const MESSAGE_WORDS = 40;
const CUSTOM_TEXT_CHARS = 255;
const ID_RANDOM_BYTES = 10;
const POOL_DRAWS = 1000;

export function createEventMaker(seed: number): EventMaker {
  const random = seededRandom(seed);
  const vocabulary = wordsOf(seededRandom(1));
  const newId = uuidv7Maker({ nowMs: Date.now, random: randomPool(ID_RANDOM_BYTES) });
  const event = (given: Fact | CustomFact): NewEvent => ({
    id: newId(),
    at: new Date().toISOString(),
    actor: "operator",
    cause: null,
    fact: given,
  });
  /** Few words are common and most are rare, as in real text. */
  const words = (count: number): string =>
    Array.from({ length: count }, () => vocabulary[Math.floor(random() ** 3 * VOCABULARY_WORDS)]).join(" ");

  return {
    newId,
    event,
    words,
    opened: (label) => event(fact("session.opened@1", { spec: spec(), label })),
    custom: () => event({ type: "x.bench@1", data: { turnId: null, payload: "x".repeat(CUSTOM_TEXT_CHARS) } }),
    turn: () => {
      const turnId = newId();
      const prompt = words(PROMPT_WORDS);
      const text = words(MESSAGE_WORDS);
      return [
        event(fact("turn.admitted@1", { turnId, prompt, blob: null, bytes: prompt.length, queued: false })),
        event(fact("turn.started@1", { turnId })),
        event(fact("message.completed@1", { turnId, role: "assistant", text, blob: null, bytes: text.length })),
        event({ type: "x.bench@1", data: { turnId, payload: text } }),
        event(fact("turn.ended@1", { turnId, outcome: "completed", error: null })),
      ];
    },
  };
}

/** Random bytes are drawn once for many ids, because making ids is the caller's cost and the store is measured. */
function randomPool(bytes: number): () => Uint8Array {
  let pool = randomBytes(bytes * POOL_DRAWS);
  let at = 0;
  return () => {
    if (at === POOL_DRAWS) {
      pool = randomBytes(bytes * POOL_DRAWS);
      at = 0;
    }
    at += 1;
    return pool.subarray((at - 1) * bytes, at * bytes);
  };
}

function spec(): Parameters<typeof fact<"session.opened@1">>[1]["spec"] {
  return {
    name: sessionName(randomBytes(3)),
    adapter: "demo",
    agent: "demo",
    workspace: "default",
    ground: "ws://workspaces/default",
    cwd: "/",
    sandbox: "off",
    scope: null,
    network: null,
    parentSessionId: null,
    depth: 0,
    file: null,
    external: null,
  };
}

function wordsOf(random: () => number): readonly string[] {
  const syllables =
    "ba be bi bo da de di do fa fe ga go ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri ro sa se si so ta te ti to va ve vi vo za ze".split(
      " ",
    );
  const syllable = () => syllables[Math.floor(random() * syllables.length)] ?? "";
  return Array.from({ length: VOCABULARY_WORDS }, () => syllable() + syllable() + syllable());
}
