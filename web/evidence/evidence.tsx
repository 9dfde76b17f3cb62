import { useState } from "preact/hooks";
import type { OutputOf } from "../../src/client/index.ts";
import { Link, type PageProps, useCall } from "../frame/index.ts";
import { Badge, Button, Empty } from "../parts/index.ts";
import { ChooseRepository, LawError, NoRepository, useRepository } from "../repository/index.ts";
import { SafeText } from "../text/index.ts";
import { ProofOf } from "./proof-of.tsx";
import "./page.css";

type Ticket = OutputOf<"ticket.list">["tickets"][number];

const FRESH = { on: /^ticket\./ };
const LISTED_MAX = 500;
/** Each proof asks git: so many are looked up without being asked for. */
const OPEN_MAX = 10;

/** What proved that tickets are done, and what the others still lack. */
export function View({ query }: PageProps) {
  const repository = useRepository("/ui/evidence", query);
  const { cwd } = repository;
  return (
    <div class="page evidence">
      <header class="page-head">
        <h1>Evidence</h1>
        <ChooseRepository {...repository} />
      </header>
      {cwd === null ? <NoRepository /> : <EvidenceOf key={cwd} cwd={cwd} />}
    </div>
  );
}

function EvidenceOf({ cwd }: { readonly cwd: string }) {
  const { value, error, again } = useCall("ticket.list", { cwd, limit: LISTED_MAX }, FRESH);
  if (error !== undefined && value === undefined) return <LawError error={error} again={again} />;
  if (value === undefined) return <p class="muted loading">Loading …</p>;
  const tasks = value.tickets.filter(({ kind }) => kind === "task");
  const begun = tasks.filter(({ status }) => status !== "todo" && status !== "done");
  const done = tasks.filter(({ status }) => status === "done");
  const rest = tasks.filter(({ status }) => status === "todo");
  if (tasks.length === 0)
    return (
      <Empty title="No task" command={`nomos ticket create task "Fix the parser"`}>
        A task is closed only when the log has seen its work land, its checks pass, and a witness of each criterion.
      </Empty>
    );
  return (
    <>
      <Part name="At work, or waiting for proof" cwd={cwd} tickets={begun} open={OPEN_MAX} />
      <Part name="Closed on proof" cwd={cwd} tickets={done} open={1} />
      <Part name="Not begun" cwd={cwd} tickets={rest} open={0} />
    </>
  );
}

interface PartProps {
  readonly name: string;
  readonly cwd: string;
  readonly tickets: readonly Ticket[];
  /** So many are open from the beginning. */
  readonly open: number;
}

function Part({ name, cwd, tickets, open }: PartProps) {
  if (tickets.length === 0) return null;
  return (
    <section aria-label={name}>
      <h2>
        {name} <span class="muted">{tickets.length}</span>
      </h2>
      <ul class="evidence-list">
        {tickets.map((ticket, at) => (
          <Line key={ticket.id} cwd={cwd} ticket={ticket} isOpen={at < open} />
        ))}
      </ul>
    </section>
  );
}

interface LineProps {
  readonly cwd: string;
  readonly ticket: Ticket;
  readonly isOpen: boolean;
}

function Line({ cwd, ticket: { id, title, status }, isOpen }: LineProps) {
  const [isShown, setShown] = useState(isOpen);
  return (
    <li>
      <div class="evidence-head">
        <Link to={`/ui/tickets?${new URLSearchParams({ cwd, id })}`}>
          <SafeText text={title} oneLine strict />
        </Link>
        <Badge kind={status === "done" ? "good" : "accent"}>{status}</Badge>
        <Button kind="quiet" onClick={() => setShown(!isShown)}>
          {isShown ? "Hide" : "Show"}
        </Button>
      </div>
      {isShown && <ProofOf cwd={cwd} id={id} />}
    </li>
  );
}
