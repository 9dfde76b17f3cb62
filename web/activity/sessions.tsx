import { useMemo } from "preact/hooks";
import { Link } from "../frame/index.ts";
import { type Row, useSessions } from "../live/index.ts";
import { Ago, costText, Empty, StateBadge, Tree, tokensText } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { familiesOf, spentMost } from "./families.ts";

const MOST = 10;

export function Sessions({ sinceMs }: { readonly sinceMs: number }) {
  const all = useSessions();
  // Rounded, so that the lists are not made anew with every tick of the range.
  const since = new Date(Math.floor(sinceMs / 60_000) * 60_000).toISOString();
  const rows = useMemo(
    () => all.filter(({ lastOutputAt, startedAt, busy }) => busy || (lastOutputAt ?? startedAt) >= since),
    [all, since],
  );
  return (
    <>
      <MostSpent rows={rows} />
      <Families rows={rows} />
    </>
  );
}

function MostSpent({ rows }: { readonly rows: readonly Row[] }) {
  const most = useMemo(() => spentMost(rows, MOST), [rows]);
  return (
    <section class="card" aria-labelledby="activity-most">
      <h2 id="activity-most">Sessions that spent most</h2>
      {most.length === 0 ? (
        <p class="muted">
          No session of this time reports what it spends. Claude Code, Codex and other agents over ACP do; the demo does
          not.
        </p>
      ) : (
        <>
          <p class="muted">Over their whole life, as their agents report it.</p>
          <table class="activity-table">
            <thead>
              <tr>
                <th scope="col">Session</th>
                <th scope="col">Cost</th>
                <th scope="col">Tokens</th>
                <th scope="col">Active</th>
              </tr>
            </thead>
            <tbody>
              {most.map((row) => (
                <tr key={row.id}>
                  <td>
                    <SessionLink row={row} />
                  </td>
                  <td>{costText(row.spent)}</td>
                  <td>{tokensText(row.spent)}</td>
                  <td>
                    <Ago at={row.lastOutputAt ?? row.startedAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}

function Families({ rows }: { readonly rows: readonly Row[] }) {
  const nodes = useMemo(() => familiesOf(rows), [rows]);
  return (
    <section class="card" aria-labelledby="activity-tree">
      <h2 id="activity-tree">Forks and children</h2>
      {nodes.length === 0 ? (
        <Empty title="No session has a relative yet" command="nomos fork <session>">
          A fork tries another way from any moment of a session. Agents that may start sessions have children.
        </Empty>
      ) : (
        <Tree label="Forks and children of sessions" nodes={nodes}>
          {(row) => (
            <span class="activity-relative">
              <SessionLink row={row} /> <StateBadge session={row} />
              <span class="muted">{row.forkedFrom === undefined ? row.agent : "fork"}</span>
            </span>
          )}
        </Tree>
      )}
    </section>
  );
}

function SessionLink({ row }: { readonly row: Row }) {
  return (
    <Link to={`/ui/session/${encodeURIComponent(row.id)}`}>
      <SafeText text={row.title ?? row.name} oneLine />
    </Link>
  );
}
