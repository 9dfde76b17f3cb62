import { Link } from "../frame/index.ts";
import { serverNow, useSession } from "../live/index.ts";
import { SafeText } from "../text/index.ts";
import type { Ticket } from "./ticket.ts";

type Lease = NonNullable<Ticket["lease"]>;

const MINUTE_MS = 60_000;

/** Who holds the lease of a ticket, and until when. */
export function Holder({ lease: { owner, sessionId, until, fence } }: { readonly lease: Lease }) {
  const leftMs = Date.parse(until) - serverNow();
  return (
    <span class="tickets-facts">
      {sessionId === undefined ? <SafeText text={owner} oneLine strict /> : <SessionLink id={sessionId} />}{" "}
      <span class="muted" title={`fence ${fence}, until ${new Date(until).toLocaleString()}`}>
        {leftMs > 0 ? `${Math.ceil(leftMs / MINUTE_MS)} min left` : "ran out"}
      </span>
    </span>
  );
}

function SessionLink({ id }: { readonly id: string }) {
  const session = useSession(id);
  return (
    <Link to={`/ui/session/${encodeURIComponent(id)}`}>
      <SafeText text={session?.title ?? session?.name ?? id} oneLine strict />
    </Link>
  );
}
