import { useMemo, useState } from "preact/hooks";
import { Bars, countText, HeatMap, Select } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { type Named, type Total, totalOf, totalsBy, totalsOver, turnsByHour, workingOver } from "./sums.ts";
import type { Sums } from "./use-activity.ts";

const GROUPS = [
  ["agent", "by agent"],
  ["workspace", "by workspace"],
  ["model", "by model"],
] as const;
type By = (typeof GROUPS)[number][0];

interface SpendingProps {
  readonly sums: Sums;
  readonly unit: "hour" | "day";
  readonly workingStepMs: number;
}

export function Spending({ sums, unit, workingStepMs }: SpendingProps) {
  const total = useMemo(() => totalOf(sums.parts), [sums]);
  const over = useMemo(() => totalsOver(sums.parts, sums, unit), [sums, unit]);
  const heat = useMemo(() => turnsByHour(sums.parts, sums), [sums]);
  const working = useMemo(() => workingOver(sums.working, sums, workingStepMs), [sums, workingStepMs]);
  return (
    <>
      <p class="activity-total activity-wide">
        <span>
          <strong>{usdText(total.costUsd)}</strong> cost
        </span>
        <span>
          <strong>{total.tokens === null ? "–" : countText(total.tokens)}</strong> tokens
        </span>
        <span>
          <strong>{countText(total.turns)}</strong> turns
        </span>
        {total.tokens === null && <span class="muted">– : no agent of this time reports it</span>}
        {sums.isPartly && (
          <span class="muted" role="status">
            Older turns are being read …
          </span>
        )}
      </p>
      <section class="card" aria-label="Cost">
        <Bars label={`Cost per ${unit}`} bars={bars(over, ({ costUsd }) => costUsd)} format={usdOrDash} />
      </section>
      <section class="card" aria-label="Tokens">
        <Bars label={`Tokens per ${unit}`} bars={bars(over, ({ tokens }) => tokens)} format={countOrDash} />
      </section>
      <Shares sums={sums} />
      <section class="card" aria-label="Working sessions">
        <Bars
          label="Sessions that worked at once, on average"
          bars={working}
          format={(value) => value.toFixed(value >= 10 ? 0 : value >= 0.1 ? 1 : 3)}
        />
      </section>
      <section class="card activity-wide" aria-label="When turns end">
        <HeatMap label="Turns by day and hour" days={heat} format={turnsText} />
      </section>
    </>
  );
}

function Shares({ sums }: { readonly sums: Sums }) {
  const [by, setBy] = useState<By>("agent");
  const totals = useMemo(() => totalsBy(sums.parts, by), [sums, by]);
  return (
    <section class="card" aria-label="Shares">
      <Select
        label="Shares"
        value={by}
        options={GROUPS}
        onChange={(value) => setBy(GROUPS.find(([name]) => name === value)?.[0] ?? "agent")}
      />
      <table class="activity-table">
        <thead>
          <tr>
            <th scope="col">{GROUPS.find(([name]) => name === by)?.[1].slice("by ".length)}</th>
            <th scope="col">Cost</th>
            <th scope="col">Tokens</th>
            <th scope="col">Turns</th>
          </tr>
        </thead>
        <tbody>
          {totals.map(({ name, value }) => (
            <tr key={name}>
              <td>{name === "" ? <span class="muted">not known</span> : <SafeText text={name} oneLine />}</td>
              <td>{usdText(value.costUsd)}</td>
              <td>{value.tokens === null ? "–" : countText(value.tokens)}</td>
              <td>{countText(value.turns)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** No turn is really 0; turns that nobody told anything of are a gap. */
function bars(totals: readonly Named<Total>[], of: (total: Total) => number | null): readonly Named<number>[] {
  return totals.map(({ name, value }) => ({ name, value: of(value) ?? (value.turns === 0 ? 0 : Number.NaN) }));
}

function usdText(usd: number | null): string {
  return usd === null ? "–" : `$${usd.toFixed(usd < 10 ? 2 : 0)}`;
}

function usdOrDash(usd: number): string {
  return usdText(Number.isNaN(usd) ? null : usd);
}

function countOrDash(count: number): string {
  return Number.isNaN(count) ? "–" : countText(count);
}

function turnsText(turns: number): string {
  return turns === 1 ? "1 turn" : `${countText(turns)} turns`;
}
