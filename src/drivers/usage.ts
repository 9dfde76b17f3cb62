import { type DriverFact, type EventData, fact, type Spent } from "../kernel/index.ts";
import type { Cost, Update } from "./update.ts";

/** What the agent used in one turn, as it tells it. */
export interface TurnUsage {
  readonly hear: (update: Extract<Update, { is: "usage" | "tokens" }>) => void;
  /** Nothing when the agent told nothing. */
  readonly facts: (turnId: string) => readonly DriverFact[];
}

/** The cost of a whole native session as it was told last: agents tell a sum that grows. Outlives turns. */
export interface CostTold {
  amount: number;
}

type Used = Omit<EventData<"usage.reported@1">, "turnId">;
type Tokens = Extract<Update, { is: "tokens" }>;

const NOTHING_USED: Used = {
  contextTokens: null,
  contextMax: null,
  inputTokens: null,
  outputTokens: null,
  cost: null,
};
const NOTHING_SPENT: Spent = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costMicroUsd: null };

export function createTurnUsage(told: CostTold): TurnUsage {
  let used = NOTHING_USED;
  let spent = NOTHING_SPENT;
  return {
    hear: (update) => {
      used = withUsage(used, update);
      if (update.is === "tokens") spent = withTokens(spent, update);
      else if (isMoney(update.cost)) {
        // A smaller sum than before: the agent began to count anew.
        const share = update.cost.amount - (update.cost.amount < told.amount ? 0 : told.amount);
        told.amount = update.cost.amount;
        spent = withCost(spent, share);
      }
    },
    facts: (turnId) => {
      if (used === NOTHING_USED) return [];
      return [fact("usage.reported@1", { turnId, ...used, ...(spent === NOTHING_SPENT ? {} : { spent }) })];
    },
  };
}

/** `usage` tells totals so far, `tokens` what was used since the last time. */
function withUsage(used: Used, update: Extract<Update, { is: "usage" | "tokens" }>): Used {
  if (update.is === "usage")
    return { ...used, contextTokens: update.used, contextMax: update.size, cost: update.cost ?? used.cost };
  return {
    ...used,
    inputTokens: sum(used.inputTokens, update.input),
    outputTokens: sum(used.outputTokens, update.output),
    cost: update.cost === null ? used.cost : { ...update.cost, amount: update.cost.amount + (used.cost?.amount ?? 0) },
  };
}

function withTokens(spent: Spent, { input, output, cacheRead, cacheWrite, isInputWhole, cost }: Tokens): Spent {
  const priced = isMoney(cost) ? withCost(spent, cost.amount) : spent;
  if (input === null && output === null) return priced;
  const cached = isInputWhole === true ? count(cacheRead) : 0;
  return {
    ...priced,
    input: priced.input + Math.max(0, count(input) - cached),
    output: priced.output + count(output),
    cacheRead: priced.cacheRead + count(cacheRead),
    cacheWrite: priced.cacheWrite + count(cacheWrite),
  };
}

function withCost(spent: Spent, dollars: number): Spent {
  return { ...spent, costMicroUsd: (spent.costMicroUsd ?? 0) + Math.round(dollars * MICRO) };
}

const MICRO = 1_000_000;
/** Beyond this an agent tells nonsense; sums of it stay exact. */
const DOLLARS_MAX = 1_000_000;
const TOKENS_MAX = 1_000_000_000_000;

function isMoney(cost: Cost | null): cost is Cost {
  return cost !== null && cost.currency === "USD" && cost.amount >= 0 && cost.amount <= DOLLARS_MAX;
}

function count(tokens: number | null | undefined): number {
  return tokens != null && tokens > 0 && tokens <= TOKENS_MAX ? Math.round(tokens) : 0;
}

function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b;
}
