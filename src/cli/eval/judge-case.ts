import type { OutputOf } from "../../client/index.ts";
import { type EvalCase, type Expected, patternIn } from "./read-cases.ts";

export type Replay = OutputOf<"session.replay">;

export interface EvalResult {
  readonly name: string;
  readonly session: string;
  readonly ok: boolean;
  /** What is not as expected; empty when all is. */
  readonly problems: readonly string[];
  /** Null: it could not be replayed. */
  readonly replay: Replay | null;
}

export function judgeCase({ name, input, expect }: EvalCase, replay: Replay): EvalResult {
  const problems = [
    ...divergenceProblems(expect, replay),
    ...refusalProblems(expect, replay),
    ...costProblems(expect, replay),
    ...textProblems(expect, replay),
  ];
  return { name, session: input.id, ok: problems.length === 0, problems, replay };
}

/** Without a word about it, a case expects no divergence. A part that cannot be replayed proves nothing. */
function divergenceProblems({ diverged = false }: Expected, replay: Replay): readonly string[] {
  const first = replay.turns.flatMap((turn) => turn.divergences)[0];
  const skipped = replay.turns.filter(({ is }) => is === "skipped").length;
  if (first !== undefined && !diverged)
    return [`diverges at ${first.eventId}: recorded ${first.recorded}, replayed ${first.replayed}`];
  if (first === undefined && diverged) return ["does not diverge"];
  return skipped > 0 ? [`${skipped} turns cannot be replayed`] : [];
}

function refusalProblems({ refused }: Expected, replay: Replay): readonly string[] {
  if (refused === undefined) return [];
  const isNamed = (call: Replay["refused"][number], named: string) =>
    call.rules.includes(named) || call.title.includes(named);
  const missing = refused.filter((named) => !replay.refused.some((call) => isNamed(call, named)));
  const others = replay.refused.filter((call) => !refused.some((named) => isNamed(call, named)));
  return [
    ...missing.map((named) => `nothing is refused for ${named}`),
    ...others.map(({ title, rules }) => `${title} is refused by ${rules.join(", ")}`),
  ];
}

function costProblems({ costMax }: Expected, { wouldCost, spent }: Replay): readonly string[] {
  if (costMax === undefined) return [];
  const cost = wouldCost === undefined ? spent.costUsd : wouldCost.costUsd;
  if (cost === null) return ["its cost is unknown"];
  return cost > costMax ? [`costs $${cost}, more than $${costMax}`] : [];
}

function textProblems({ text }: Expected, { turns }: Replay): readonly string[] {
  if (text === undefined) return [];
  const said = turns.findLast((turn) => turn.text !== null)?.text ?? "";
  const pattern = patternIn(text);
  const isThere = pattern === null ? said.includes(text) : pattern.test(said);
  return isThere ? [] : [`its last words have no ${text}`];
}
