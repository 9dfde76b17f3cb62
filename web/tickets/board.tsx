import { Link } from "../frame/index.ts";
import { Badge } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import type { BoardLane } from "./board-lanes.ts";
import { Holder } from "./holder.tsx";
import type { Ticket } from "./ticket.ts";

const HELD_BACK = {
  global_limit: "enough are at work",
  lane_full: "its lane is full",
  blocked: "blocked",
  leased: "leased",
} as const;

interface Marks {
  readonly next: string | null;
  readonly current: string | null;
  readonly placeOf: (id: string) => string;
}

/** Tickets by lane and status. */
export function Board({ lanes, ...marks }: Marks & { readonly lanes: readonly BoardLane[] }) {
  return (
    <>
      {lanes.map(({ lane, columns }) => (
        <section key={lane?.name ?? ""} class="tickets-lane" aria-label={lane?.name ?? "No lane"}>
          <h2>
            {lane === null ? "No lane" : <SafeText text={lane.name} oneLine strict />}{" "}
            {lane !== null && lane.count !== null && (
              <span class="muted">
                {lane.active} of {lane.count} at work
              </span>
            )}
          </h2>
          <div class="tickets-columns">
            {columns.map(({ status, tickets }) => (
              <section key={status} class="tickets-column" aria-label={status}>
                <h3>
                  {status} <span class="muted">{tickets.length}</span>
                </h3>
                <ul>
                  {tickets.map((ticket) => (
                    <OnBoard key={ticket.id} ticket={ticket} {...marks} />
                  ))}
                </ul>
              </section>
            ))}
          </div>
        </section>
      ))}
    </>
  );
}

function OnBoard({ ticket, next, current, placeOf }: Marks & { readonly ticket: Ticket }) {
  const { id, title, kind, priority, waits, lease } = ticket;
  return (
    <li class={id === current ? "tickets-card tickets-current" : "tickets-card"}>
      <Link to={placeOf(id)} {...(id === current ? { "aria-current": "page" as const } : {})}>
        <SafeText text={title} oneLine strict />
      </Link>
      <span class="muted tickets-facts">
        {kind !== "task" && <Badge>{kind}</Badge>}
        <span>priority {priority}</span>
        {waits !== null && <span>score {waits.score.toFixed(1)}</span>}
        {id === next && <Badge kind="good">next</Badge>}
        {waits?.heldBack !== undefined && <Badge kind="warn">{HELD_BACK[waits.heldBack]}</Badge>}
      </span>
      {lease?.live === true && <Holder lease={lease} />}
    </li>
  );
}
