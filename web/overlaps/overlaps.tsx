import { useMemo } from "preact/hooks";
import type { OutputOf } from "../../src/client/index.ts";
import { Link, type PageProps, useCall } from "../frame/index.ts";
import { Badge, Empty } from "../parts/index.ts";
import { ChooseRepository, LawError, NoRepository, useRepository } from "../repository/index.ts";
import { SafeText } from "../text/index.ts";
import { overlapMap } from "./overlap-map.ts";
import "./page.css";

type Overlap = OutputOf<"ticket.overlaps">["overlaps"][number];

const [SIZE, RADIUS] = [320, 130];

/** Open tasks that may change the same file, each pair with such a path. */
export function View({ query }: PageProps) {
  const repository = useRepository("/ui/overlaps", query);
  const { cwd } = repository;
  return (
    <div class="page overlaps">
      <header class="page-head">
        <h1>Overlaps</h1>
        <ChooseRepository {...repository} />
      </header>
      {cwd === null ? <NoRepository /> : <OverlapsOf key={cwd} cwd={cwd} />}
    </div>
  );
}

function OverlapsOf({ cwd }: { readonly cwd: string }) {
  const { value, error, again } = useCall("ticket.overlaps", { cwd }, { on: /^ticket\./ });
  if (error !== undefined) return <LawError error={error} again={again} />;
  if (value === undefined) return <p class="muted loading">Loading …</p>;
  const { overlaps, tickets, whole } = value;
  if (overlaps.length === 0)
    return (
      <Empty title="No two tickets meet" command="nomos ticket overlaps">
        {tickets} {tickets === 1 ? "open task was" : "open tasks were"} compared. Their scopes allow no common path, so
        sessions can work on all of them at once.
      </Empty>
    );
  return (
    <>
      <Picture overlaps={overlaps} />
      <h2>
        {overlaps.length === 1 ? "One pair" : `${overlaps.length} pairs`} of {tickets} open tasks
      </h2>
      <ul class="overlaps-list" aria-label="Pairs that may change the same file">
        {overlaps.map((overlap) => (
          <PairLine key={`${overlap.a.id} ${overlap.b.id}`} cwd={cwd} overlap={overlap} />
        ))}
      </ul>
      {!whole && <p class="muted">There are more pairs than are listed.</p>}
    </>
  );
}

/** A picture of the list below it. */
function Picture({ overlaps }: { readonly overlaps: readonly Overlap[] }) {
  const { nodes, edges, more } = useMemo(() => overlapMap(overlaps, { radius: RADIUS, centre: SIZE / 2 }), [overlaps]);
  return (
    <figure class="card overlaps-map">
      <svg viewBox={`0 0 ${SIZE} ${SIZE}`} aria-hidden="true">
        {edges.map(({ from, to }) => (
          <line key={`${from.id} ${to.id}`} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
        ))}
        {nodes.map(({ id, x, y, degree }) => (
          <g key={id}>
            <circle cx={x} cy={y} r={Math.min(12, 4 + degree)} />
            <text x={x} y={y < SIZE / 2 ? y - 16 : y + 24} text-anchor="middle">
              {id.split("-").at(-1) === "EPIC" ? id.split("-").at(-2) : id.split("-").at(-1)}
            </text>
          </g>
        ))}
      </svg>
      <figcaption class="muted">
        A line joins two tickets that may change the same file.{more > 0 && ` ${more} more tickets are in the list.`}
      </figcaption>
    </figure>
  );
}

function PairLine({ cwd, overlap: { a, b, path } }: { readonly cwd: string; readonly overlap: Overlap }) {
  return (
    <li>
      <p>
        <TicketLink cwd={cwd} ticket={a} /> and <TicketLink cwd={cwd} ticket={b} />
      </p>
      <p class="muted">
        both may change{" "}
        <code>
          <SafeText text={path} oneLine strict />
        </code>
      </p>
    </li>
  );
}

function TicketLink({ cwd, ticket: { id, title, status } }: { readonly cwd: string; readonly ticket: Overlap["a"] }) {
  return (
    <>
      <Link to={`/ui/tickets?${new URLSearchParams({ cwd, id })}`}>
        <SafeText text={title} oneLine strict />
      </Link>{" "}
      <code>{id.split("-").at(-1)}</code> {status === "active" && <Badge kind="warn">at work</Badge>}
    </>
  );
}
