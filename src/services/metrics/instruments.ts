import type { ErrorCode, NomosError } from "../../contract/index.ts";
import { dataIn, SESSION_EVENTS, type Spent } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";

export type ConnectionKind = "sse" | "ws" | "mcp";

/** Counters since the daemon started. Other metrics are computed on request. */
export interface Instruments {
  /** Counts an error once, although several layers report it. */
  readonly failed: (error: NomosError) => void;
  /** Call the returned function when the connection is closed; further calls do nothing. */
  readonly opened: (kind: ConnectionKind) => () => void;
  readonly appended: (events: readonly RecordedEvent[]) => void;
  readonly timeAppend: <T>(work: () => Promise<T>) => Promise<T>;
  readonly counts: () => Counts;
}

export interface Counts {
  readonly errors: ReadonlyMap<ErrorCode, number>;
  readonly connections: ReadonlyMap<ConnectionKind, number>;
  readonly events: number;
  readonly turns: ReadonlyMap<Outcome, number>;
  readonly appends: Histogram;
  readonly tokens: ReadonlyMap<TokenKind, number>;
  readonly costMicroUsd: number;
}

export interface Histogram {
  /** Upper bounds in seconds, and how many appends were within each. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
  readonly sum: number;
  readonly count: number;
}

const OUTCOMES = ["completed", "failed", "interrupted", "cancelled"] as const;
export type Outcome = (typeof OUTCOMES)[number];
export type TokenKind = (typeof TOKEN_KINDS)[number][0];
const TOKEN_KINDS = [
  ["input", "input"],
  ["output", "output"],
  ["cache_read", "cacheRead"],
  ["cache_write", "cacheWrite"],
] as const;
const CONNECTION_KINDS: readonly ConnectionKind[] = ["sse", "ws", "mcp"];
const APPEND_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

export function createInstruments(nowMs: () => number): Instruments {
  const errors = new Map<ErrorCode, number>();
  const connections = new Map<ConnectionKind, number>(CONNECTION_KINDS.map((kind) => [kind, 0]));
  const turns = new Map<Outcome, number>(OUTCOMES.map((outcome) => [outcome, 0]));
  const seen = new WeakSet<NomosError>();
  const within = APPEND_SECONDS.map(() => 0);
  let events = 0;
  let appends = 0;
  let appendSeconds = 0;
  const tokens = new Map<TokenKind, number>(TOKEN_KINDS.map(([kind]) => [kind, 0]));
  let costMicroUsd = 0;

  const took = (seconds: number): void => {
    appends += 1;
    appendSeconds += seconds;
    const at = APPEND_SECONDS.findIndex((le) => seconds <= le);
    if (at >= 0) within[at] = (within[at] ?? 0) + 1;
  };

  return {
    failed: (error) => {
      if (seen.has(error)) return;
      seen.add(error);
      add(errors, error.code, 1);
    },
    opened: (kind) => {
      add(connections, kind, 1);
      let isOpen = true;
      return () => {
        if (isOpen) add(connections, kind, -1);
        isOpen = false;
      };
    },
    appended: (appended) => {
      events += appended.length;
      for (const event of appended) {
        const outcome = event.type === "turn.ended@1" ? outcomeOf(event) : undefined;
        if (outcome !== undefined) add(turns, outcome, 1);
        const spent = spentIn(event);
        if (spent === null) continue;
        for (const [kind, member] of TOKEN_KINDS) add(tokens, kind, spent[member]);
        costMicroUsd += spent.costMicroUsd ?? 0;
      }
    },
    timeAppend: async (work) => {
      const startedMs = nowMs();
      try {
        return await work();
      } finally {
        took((nowMs() - startedMs) / 1000);
      }
    },
    counts: () => {
      let count = 0;
      const buckets = APPEND_SECONDS.map((le, at) => {
        count += within[at] ?? 0;
        return { le, count };
      });
      const histogram = { buckets, sum: appendSeconds, count: appends };
      return { errors, connections, events, turns, tokens, costMicroUsd, appends: histogram };
    },
  };
}

function add<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** What a step of the engine or a foreign agent's report says. */
function spentIn(event: RecordedEvent): Spent | null {
  if (event.type === "usage.reported@1") return dataIn(SESSION_EVENTS, [event], "usage.reported@1")?.spent ?? null;
  const step = event.type === "step.ended@1" ? dataIn(SESSION_EVENTS, [event], "step.ended@1") : null;
  return step === null ? null : { ...step.usage, costMicroUsd: step.costMicroUsd };
}

function outcomeOf(event: RecordedEvent): Outcome | undefined {
  return dataIn(SESSION_EVENTS, [event], "turn.ended@1")?.outcome;
}
