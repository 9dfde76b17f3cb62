import { ENGINE_DEFAULTS } from "../../contract/index.ts";
import type { DriverSettings, Json } from "../../kernel/index.ts";
import { DriverError } from "../../turns/index.ts";
import type { TurnLimits } from "../link/protocol.ts";

export interface EngineSettings {
  readonly stepsMax?: number | undefined;
  readonly thinking?: TurnLimits["thinking"] | undefined;
  readonly budgetMicroUsd?: number | undefined;
  readonly compaction?:
    | {
        readonly enabled?: boolean | undefined;
        readonly strategy?: string | undefined;
        readonly reserveTokens?: number | undefined;
        readonly keepRecentTokens?: number | undefined;
        readonly model?: string | undefined;
      }
    | undefined;
}

type Options = DriverSettings["options"];

/**
 * The limits of a turn: those of the configuration, and the session's options. A session sets its own options, so they
 * only narrow what is a limit: steps and budget.
 */
export function limitsOf(
  { stepsMax, thinking, budgetMicroUsd, compaction }: EngineSettings,
  options: Options,
): TurnLimits {
  const { enabled, strategy, reserveTokens, keepRecentTokens } = compaction ?? {};
  const budgets = [budgetMicroUsd, chosenBudget(options)].filter((one) => one !== undefined);
  return {
    stepsMax: Math.min(stepsMax ?? ENGINE_DEFAULTS.stepsMax, positive(options["steps"]) ?? Number.POSITIVE_INFINITY),
    budgetMicroUsd: budgets.length === 0 ? null : Math.min(...budgets),
    thinking: THINKING.find((one) => one === options["thinking"]) ?? thinking ?? ENGINE_DEFAULTS.thinking,
    compaction: {
      isEnabled: (enabled ?? true) && options["compaction"] !== "off",
      strategy: strategy ?? "summary",
      reserveTokens: reserveTokens ?? null,
      keepRecentTokens: keepRecentTokens ?? null,
    },
    schema: schemaIn(options),
  };
}

const THINKING = ["off", "low", "medium", "high"] as const;
const MICRO = 1_000_000;

function chosenBudget(options: Options): number | undefined {
  const usd = positive(options["budget"]);
  return usd === undefined ? undefined : Math.round(usd * MICRO);
}

function positive(value: Options[string] | undefined): number | undefined {
  const number = typeof value === "string" ? Number(value) : Number.NaN;
  return number > 0 ? number : undefined;
}

/** The option `schema` of a session: a JSON schema that each answer has to fit. */
function schemaIn({ schema }: Options): Json {
  if (typeof schema !== "string" || schema === "") return null;
  try {
    return JSON.parse(schema) as Json;
  } catch {
    throw new DriverError("invalid_request", "the option `schema` is no valid JSON");
  }
}
