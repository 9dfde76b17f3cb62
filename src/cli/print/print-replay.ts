import type { OutputOf } from "../../client/index.ts";
import { bold, dim, green, red, type Text, yellow } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { counted, spellCount, spellDollars } from "./spell.ts";
import { tableLines } from "./table.ts";

type Replay = OutputOf<"session.replay">;

const SHOWN_MAX = 20;

/** What a replay found: each divergence, each call that the policy stops, then the cost and the verdict. */
export function printReplay(terminal: Terminal, output: unknown): void {
  const replay = output as Replay;
  const divergences = replay.turns.flatMap((turn) => turn.divergences);
  for (const one of divergences.slice(0, SHOWN_MAX)) for (const line of divergenceLines(one)) terminal.print(line);
  if (divergences.length > SHOWN_MAX) terminal.print(dim(`and ${divergences.length - SHOWN_MAX} more`));
  printJudged(terminal, "REFUSED", replay.refused);
  printJudged(terminal, "ASKED", replay.asked);
  for (const note of replay.notes) terminal.print(yellow(note));
  terminal.print(costLine(replay));
  terminal.print(verdictLine(replay));
}

function divergenceLines({
  eventId,
  step,
  in: where,
  recorded,
  replayed,
}: Replay["turns"][number]["divergences"][number]) {
  const what = { engine: "the engine decides otherwise", calls: "other calls", text: "other words" }[where];
  return [red(`step ${step}, event ${eventId}: ${what}`), `  recorded: ${recorded}`, `  replayed: ${replayed}`];
}

function printJudged(terminal: Terminal, heading: string, calls: Replay["refused"]): void {
  if (calls.length === 0) return;
  const rows = calls
    .slice(0, SHOWN_MAX)
    .map(({ title, verb, rules, was, eventId }) => [title, verb, rules.join(", "), was, eventId]);
  const fits = [{ shorten: "end" } as const, undefined, undefined, undefined, { shorten: "end", drop: 1 } as const];
  for (const line of tableLines(terminal, [heading, "VERB", "RULES", "WAS", "EVENT"], rows, fits)) terminal.print(line);
  if (calls.length > SHOWN_MAX) terminal.print(dim(`and ${calls.length - SHOWN_MAX} more`));
}

function costLine({ spent, wouldCost, compared }: Replay): string {
  const cost = (dollars: number | null) => (dollars === null ? "an unknown price" : spellDollars(dollars));
  const tokens = spent.input + spent.output + spent.cacheRead + spent.cacheWrite;
  return [
    `Recorded: ${spellCount(tokens)} tokens, ${cost(spent.costUsd)}.`,
    ...(wouldCost === undefined ? [] : [`With ${wouldCost.model}: ${cost(wouldCost.costUsd)}.`]),
    ...(compared === undefined
      ? []
      : [`Asked ${counted(compared.answers, "time")} for ${cost(compared.spent.costUsd)}.`]),
  ].join(" ");
}

function verdictLine({ diverged, turns, steps, judged, refused, asked, policy }: Replay): Text {
  const own = turns.filter(({ kind, is }) => kind === "own" && is !== "skipped").length;
  const foreign = turns.filter(({ kind }) => kind === "foreign").length;
  const what = `${counted(own, "turn")}, ${counted(steps, "step")}`;
  const others = foreign === 0 ? "" : `${counted(foreign, "turn")} of another agent: judged, not run again. `;
  const gate = `${others}The ${policy} policy refuses ${refused.length} and asks about ${asked.length} of ${counted(judged, "call")}.`;
  if (diverged) return red(`Diverged: ${what}. ${gate}`);
  return own === 0 ? bold(gate) : green(`Same: ${what}. ${gate}`);
}
