import type { Spent } from "../../kernel/index.ts";
import { DriverError } from "../../turns/index.ts";
import type { Engine } from "../engine.ts";
import type { ModelRequest, Price } from "../model.ts";
import { costMicroUsd, NO_USAGE, priceOf } from "../providers/index.ts";
import type { ReplayHow } from "../replay/replay.ts";
import type { AskOther, OtherAnswer, ReplayOrder } from "../replay/replay-order.ts";
import type { EngineProcess } from "./engine-process.ts";
import { listedModels, type ModelSources, resolveModel, tokenOf } from "./resolve-models.ts";

export interface ReplayParts {
  readonly sources: ModelSources;
  readonly running: () => EngineProcess;
  /** As configured now, for a session with these options. */
  readonly limits: ReplayOrder["limits"];
}

const WINDOW_UNKNOWN = 200_000;

/** Replays run in the daemon, on the record alone; a model that is named is asked by the engine's process. */
export function createReplays({ sources, running, limits }: ReplayParts): Engine["replay"] {
  return async (source, how) => {
    // The loop is not loaded into the daemon before somebody asks.
    const [{ replaySession }, { spentIn }] = await Promise.all([
      import("../replay/replay-session.ts"),
      import("../replay/recorded-spend.ts"),
    ]);
    const models = new Map((await listedModels(sources)).map((one) => [one.name, one]));
    const listed = how.model === null ? null : (models.get(how.model)?.price ?? null);
    const price = listed === null ? null : priceOf(listed);
    const asker = how.model === null ? null : createAsker(how, price, await askerOf(sources, running, how.model, how));
    const report = await replaySession(source, {
      limits,
      windowOf: (name) => models.get(name)?.window ?? WINDOW_UNKNOWN,
      ask: asker?.other ?? null,
      signal: how.signal,
      onStep: how.onStep,
    });
    const spent = spentIn(source.events);
    return {
      ...{ ...report, spent },
      wouldCostMicroUsd: price === null ? null : costMicroUsd(price, spent),
      asking: asker?.spent() ?? { ...NO_USAGE, costMicroUsd: null },
      notes: asker?.notes() ?? [],
    };
  };
}

type Ask = (request: ModelRequest) => Promise<OtherAnswer>;

async function askerOf(
  sources: ModelSources,
  running: () => EngineProcess,
  name: string,
  { signal }: ReplayHow,
): Promise<Ask> {
  const model = await resolveModel(sources, name);
  return async (request) => {
    const token = model.hasToken === true ? await tokenOf(sources, name, signal) : null;
    return running().ask({ model, token, request: { ...request, cacheKey: `replay/${request.cacheKey}` } }, signal);
  };
}

/** Asks until the budget is used up. A model that fails after it has answered ends the asking, not the replay. */
function createAsker(
  { model, budgetMicroUsd, isThorough, callsOnly, signal }: ReplayHow,
  price: Price | null,
  ask: Ask,
) {
  let spent: Spent = { ...NO_USAGE, costMicroUsd: price === null ? null : 0 };
  let answers = 0;
  let over: string | null = null;

  const other: AskOther = {
    ...{ model: model ?? "", isThorough, callsOnly },
    ask: async (request) => {
      if (over !== null) return null;
      if (budgetMicroUsd !== null && (spent.costMicroUsd ?? 0) >= budgetMicroUsd) {
        over = `The budget of ${budgetMicroUsd / 1_000_000} dollars is used up: ${answers} answers were compared.`;
        return null;
      }
      try {
        const answer = await ask(request);
        answers += 1;
        spent = plus(spent, answer, price);
        return answer;
      } catch (thrown) {
        if (answers === 0 || signal.aborted || !(thrown instanceof DriverError)) throw thrown;
        over = `${model} stopped answering after ${answers} answers: ${thrown.message}`;
        return null;
      }
    },
  };
  return { other, spent: () => spent, notes: (): readonly string[] => (over === null ? [] : [over]) };
}

function plus(spent: Spent, { usage }: OtherAnswer, price: Price | null): Spent {
  return {
    input: spent.input + usage.input,
    output: spent.output + usage.output,
    cacheRead: spent.cacheRead + usage.cacheRead,
    cacheWrite: spent.cacheWrite + usage.cacheWrite,
    costMicroUsd: price === null ? null : (spent.costMicroUsd ?? 0) + costMicroUsd(price, usage),
  };
}
