import type { Session } from "../../src/client/index.ts";
import { ErrorCard } from "../frame/index.ts";
import { Bars, costText, countText, Empty, tokensText } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { type Turn, useTurns } from "./use-turns.ts";

interface SpentTabProps {
  readonly session: Session;
  readonly changes: number;
}

const ROWS_SHOWN = 200;

/** Tokens and cost, turn by turn, as the agent tells them. */
export function SpentTab({ session, changes }: SpentTabProps) {
  const { turns, error } = useTurns(session.id, changes);
  if (error !== null) return <ErrorCard error={error} />;
  if (turns === null) return <p class="muted">Reading the turns …</p>;
  const told = turns.filter(({ spent }) => spent !== undefined);
  if (told.length === 0)
    return <Empty title="Nothing told yet">Agents that report tokens and cost fill this page, turn by turn.</Empty>;
  const bars = (value: (turn: Turn) => number) =>
    turns.map((turn) => ({ name: `turn ${turn.turn}`, value: value(turn) }));
  const hasCost = told.some(({ spent }) => (spent?.costUsd ?? null) !== null);
  return (
    <div class="session-spent">
      <p>
        <strong>{tokensText(session.spent)}</strong> tokens, <strong>{costText(session.spent)}</strong> in all
      </p>
      <Bars label="Tokens per turn" bars={bars(tokensOf)} format={countText} />
      {hasCost && (
        <Bars
          label="Cost per turn"
          bars={bars(({ spent }) => spent?.costUsd ?? 0)}
          format={(usd) => `$${usd.toFixed(4)}`}
        />
      )}
      <div class="session-wide">
        <table>
          <thead>
            <tr>
              <th>Turn</th>
              <th>Prompt</th>
              <th>In</th>
              <th>Out</th>
              <th>Cached</th>
              <th>Cost</th>
            </tr>
          </thead>
          <tbody>
            {told
              .toReversed()
              .slice(0, ROWS_SHOWN)
              .map(({ turn, turnId, prompt, spent }) => (
                <tr key={turnId}>
                  <td>{turn}</td>
                  <td class="session-turn-prompt">
                    <SafeText text={prompt ?? ""} oneLine />
                  </td>
                  <td>{countText(spent?.input ?? 0)}</td>
                  <td>{countText(spent?.output ?? 0)}</td>
                  <td>{countText((spent?.cacheRead ?? 0) + (spent?.cacheWrite ?? 0))}</td>
                  <td>{costText(spent)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function tokensOf({ spent }: Turn): number {
  return spent === undefined ? 0 : spent.input + spent.output + spent.cacheRead + spent.cacheWrite;
}
