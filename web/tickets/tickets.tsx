import { useEffect, useState } from "preact/hooks";
import { Link, nomos, type PageProps, useCall } from "../frame/index.ts";
import { onEvents } from "../live/index.ts";
import { Button, Empty, Select, Tabs, Tree } from "../parts/index.ts";
import { ChooseRepository, LawError, NoRepository, useRepository } from "../repository/index.ts";
import { SafeText } from "../text/index.ts";
import { Board } from "./board.tsx";
import { boardLanes } from "./board-lanes.ts";
import { NewTicket } from "./edit-ticket.tsx";
import { type Dispatch, type Ticket, withDispatch } from "./ticket.ts";
import { TicketView } from "./ticket-view.tsx";
import "./page.css";

const FRESH = { on: /^(?:ticket|governance|work|landing)\./ };
const LISTED_MAX = 1000;
const SHOWN = [
  ["open", "open ones"],
  ["", "done ones too"],
] as const;
const TABS = [
  { id: "board", name: "Board" },
  { id: "tree", name: "Hierarchy" },
];

/** What people agreed on, who works on it, and what is next. */
export function View({ query }: PageProps) {
  const repository = useRepository("/ui/tickets", query);
  const { cwd } = repository;
  return (
    <div class="page tickets">
      <header class="page-head">
        <h1>Tickets</h1>
        <ChooseRepository {...repository} />
      </header>
      {cwd === null ? <NoRepository /> : <TicketsOf key={cwd} cwd={cwd} chosen={query.get("id")} />}
    </div>
  );
}

function TicketsOf({ cwd, chosen }: { readonly cwd: string; readonly chosen: string | null }) {
  const [shows, setShows] = useState<"open" | "">("open");
  const filter = shows === "" ? {} : { status: shows };
  const { value, error, again } = useCall("ticket.list", { cwd, limit: LISTED_MAX, ...filter }, FRESH);
  const dispatch = useDispatch(cwd);
  const [tab, setTab] = useState("board");
  const [isNew, setNew] = useState(false);
  const placeOf = (id: string): string => `/ui/tickets?${new URLSearchParams({ cwd, id })}`;
  if (error !== undefined && value === undefined) return <LawError error={error} again={again} />;
  if (value === undefined) return <p class="muted loading">Loading …</p>;
  const tickets = withDispatch(value.tickets, dispatch);
  const marks = { next: dispatch?.ticket?.id ?? null, current: chosen, placeOf };
  return (
    <>
      <div class="tickets-bar">
        <Next dispatch={dispatch} placeOf={placeOf} />
        <Select label="Show" value={shows} options={SHOWN} onChange={(to) => setShows(to === "" ? "" : "open")} />
        <Button kind="primary" onClick={() => setNew(true)}>
          New ticket
        </Button>
      </div>
      {isNew && <NewTicket cwd={cwd} tickets={tickets} onClose={() => setNew(false)} onDone={again} />}
      {chosen !== null && <TicketView key={chosen} cwd={cwd} id={chosen} tickets={tickets} onChange={again} />}
      <Unread faults={value.faults} />
      {tickets.length === 0 ? (
        <Empty title="No ticket" command={`nomos ticket create task "Fix the parser"`}>
          A ticket says what is wanted, which files a session may change for it, and what proves that it is done.
        </Empty>
      ) : (
        <Tabs label="How tickets are shown" tabs={TABS} chosen={tab} onChoose={setTab}>
          {tab === "board" ? (
            <Board lanes={boardLanes(tickets, dispatch?.lanes ?? [])} {...marks} />
          ) : (
            <Hierarchy tickets={tickets} {...marks} />
          )}
        </Tabs>
      )}
      {value.next !== null && <p class="muted">Only the {LISTED_MAX} most urgent ones are shown.</p>}
    </>
  );
}

/** Asking which is next is a call that could take a lease, so it is no plain read; without that right nothing is ranked. */
function useDispatch(cwd: string): Dispatch | undefined {
  const [value, setValue] = useState<Dispatch>();
  useEffect(() => {
    const leave = new AbortController();
    const ask = (): void =>
      void nomos()
        .call("ticket.next", { cwd }, { signal: leave.signal })
        .then(setValue, () => leave.signal.aborted || setValue(undefined));
    ask();
    const stop = onEvents((events) => events.some(({ type }) => FRESH.on.test(type)) && ask());
    return () => {
      leave.abort();
      stop();
    };
  }, [cwd]);
  return value;
}

const BECAUSE = {
  none_open: "No task is open.",
  global_limit: "Enough tickets are at work: the limit of all lanes together is reached.",
  lanes_full: "The lanes of all open tasks are full.",
  all_blocked: "Every open task waits for another one.",
  all_leased: "Somebody works on every open task.",
} as const;

interface NextProps {
  readonly dispatch: Dispatch | undefined;
  readonly placeOf: (id: string) => string;
}

function Next({ dispatch, placeOf }: NextProps) {
  if (dispatch === undefined) return <p class="tickets-next" />;
  const { ticket, because } = dispatch;
  return (
    <p class="tickets-next" role="status">
      {ticket === null ? (
        <>Nothing is next. {because !== null && BECAUSE[because]}</>
      ) : (
        <>
          Next:{" "}
          <Link to={placeOf(ticket.id)}>
            <SafeText text={ticket.title} oneLine strict />
          </Link>
        </>
      )}
    </p>
  );
}

function Unread({
  faults,
}: {
  readonly faults: readonly { readonly path: string; readonly message: string; readonly remedy: string }[];
}) {
  if (faults.length === 0) return null;
  return (
    <div class="error-card" role="alert">
      <strong>
        {faults.length} {faults.length === 1 ? "file is" : "files are"} no ticket that can be read
      </strong>
      <ul class="tickets-faults">
        {faults.map(({ path, message, remedy }) => (
          <li key={path}>
            <SafeText text={message} strict /> <SafeText text={remedy} strict />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface HierarchyProps {
  readonly tickets: readonly Ticket[];
  readonly current: string | null;
  readonly placeOf: (id: string) => string;
}

function Hierarchy({ tickets, current, placeOf }: HierarchyProps) {
  const nodes = tickets.map((ticket) => ({ ...ticket, parent: ticket.parent ?? null }));
  return (
    <Tree label="Tickets, those of an intent below it" nodes={nodes} {...(current === null ? {} : { current })}>
      {({ id, kind, title, status }) => (
        <>
          <Link to={placeOf(id)}>
            <SafeText text={title} oneLine strict />
          </Link>{" "}
          <span class="muted">
            {kind}, {status}
          </span>
        </>
      )}
    </Tree>
  );
}
