import { useState } from "preact/hooks";
import { confirmed, ErrorCard, Link, navigate, nomos, toast, useAction, useCall } from "../frame/index.ts";
import { Badge, Button, Fact } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { EditTicket } from "./edit-ticket.tsx";
import { Holder } from "./holder.tsx";
import { StartWork } from "./start-work.tsx";
import type { Opened, Ticket } from "./ticket.ts";

interface TicketViewProps {
  readonly cwd: string;
  readonly id: string;
  readonly tickets: readonly Ticket[];
  readonly onChange: () => void;
}

/** One ticket with all that people wrote, who works on it, and what may be done. */
export function TicketView({ cwd, id, tickets, onChange }: TicketViewProps) {
  const { value, error, again } = useCall("ticket.show", { cwd, id }, { on: /^(?:ticket|work|landing)\./ });
  if (error !== undefined && value === undefined) return <ErrorCard error={error} again={again} />;
  if (value === undefined) return <p class="muted loading">Loading …</p>;
  const changed = (): void => {
    again();
    onChange();
  };
  const placeOf = (other: string): string => `/ui/tickets?${new URLSearchParams({ cwd, id: other })}`;
  return (
    <section class="card tickets-opened" aria-label="The ticket">
      <h2>
        <SafeText text={value.title} oneLine strict />
      </h2>
      <p class="tickets-facts">
        <code>{value.id}</code> <Badge>{value.kind}</Badge>{" "}
        <Badge kind={value.status === "done" ? "good" : "accent"}>{value.status}</Badge>
        {value.lease?.live === true && <Holder lease={value.lease} />}
      </p>
      <Deeds cwd={cwd} ticket={value} tickets={tickets} onChange={changed} />
      <Texts ticket={value} />
      <Facts ticket={value} placeOf={placeOf} />
      <Criteria ticket={value} />
    </section>
  );
}

interface DeedsProps {
  readonly cwd: string;
  readonly ticket: Opened;
  readonly tickets: readonly Ticket[];
  readonly onChange: () => void;
}

function Deeds({ cwd, ticket, tickets, onChange }: DeedsProps) {
  const { run, isRunning } = useAction();
  const [open, setOpen] = useState<"edit" | "start" | null>(null);
  const { id, kind, status, lease } = ticket;
  const isOver = status === "done" || status === "archived";
  const close = async (): Promise<void> => {
    const idempotencyKey = crypto.randomUUID();
    if ((await run(() => nomos().call("ticket.close", { cwd, id }, { idempotencyKey }))) === undefined) return;
    toast(`Closed ${id}.`);
    onChange();
  };
  const archive = async (): Promise<void> => {
    const isSure = await confirmed({
      title: `Archive ${id}?`,
      body: "Its file moves into the archive, with one commit. It is no longer listed.",
      yes: "Archive it",
    });
    const input = { cwd, id, ...(status === "done" ? {} : { reason: "archived on the dashboard" }) };
    if (!isSure || (await run(() => nomos().call("ticket.archive", input))) === undefined) return;
    navigate(`/ui/tickets?${new URLSearchParams({ cwd })}`);
    onChange();
  };
  return (
    <div class="tickets-deeds">
      {kind === "task" && !isOver && lease?.live !== true && (
        <Button kind="primary" icon="play" onClick={() => setOpen("start")}>
          Start work
        </Button>
      )}
      {!isOver && <Button onClick={() => setOpen("edit")}>Edit</Button>}
      {kind === "task" && !isOver && (
        <Button disabled={isRunning} onClick={() => void close()}>
          Close on proof
        </Button>
      )}
      {status !== "archived" && lease?.live !== true && (
        <Button kind="quiet" disabled={isRunning} onClick={() => void archive()}>
          Archive
        </Button>
      )}
      <Button kind="quiet" onClick={() => navigate(`/ui/tickets?${new URLSearchParams({ cwd })}`)}>
        Fold
      </Button>
      {open === "edit" && <EditTicket {...{ cwd, ticket, tickets }} onClose={() => setOpen(null)} onDone={onChange} />}
      {open === "start" && <StartWork cwd={cwd} ticket={ticket} onClose={() => setOpen(null)} />}
    </div>
  );
}

/** What people and agents wrote is shown as it stands, and never more than text. */
function Texts({ ticket: { body, brainDump, boundary, successCondition } }: { readonly ticket: Opened }) {
  const texts = [
    ["What is wanted", brainDump],
    ["Description", body],
    ["Boundary", boundary],
    ["Success", successCondition],
  ] as const;
  return (
    <>
      {texts.map(
        ([name, text]) =>
          text.trim() !== "" && (
            <div key={name}>
              <h3>{name}</h3>
              <div class="tickets-text">
                <SafeText text={text} strict />
              </div>
            </div>
          ),
      )}
    </>
  );
}

interface FactsProps {
  readonly ticket: Opened;
  readonly placeOf: (id: string) => string;
}

function Facts({ ticket, placeOf }: FactsProps) {
  const { type, priority, risk, scope, fileBudget, checks, labels, path, parent, children, overlaps } = ticket;
  const { waitsFor, unknown } = ticket;
  return (
    <dl>
      <Fact name="Type">
        <SafeText text={`${type}, priority ${priority}, risk ${risk}`} oneLine strict />
      </Fact>
      <Fact name="May change">
        <Patterns patterns={scope.allow} none="everything that the law allows" />
      </Fact>
      <Fact name="May not change">
        <Patterns patterns={scope.deny} none="what the law denies" />
      </Fact>
      <Fact name="At most">
        {fileBudget.files} files and {fileBudget.lines} lines
      </Fact>
      <Fact name="Checks">
        <Patterns patterns={checks.map((argv) => argv.join(" "))} none="those of the law" />
      </Fact>
      {labels.length > 0 && (
        <Fact name="Labels">
          <SafeText text={labels.join(", ")} oneLine strict />
        </Fact>
      )}
      {parent !== undefined && (
        <Fact name="Under">
          <Link to={placeOf(parent)}>{parent}</Link>
        </Fact>
      )}
      <Named name="Holds" tickets={children} placeOf={placeOf} />
      <Named name="Waits for" tickets={waitsFor} placeOf={placeOf} />
      <Named name="May change the same files as" tickets={overlaps} placeOf={placeOf} />
      {unknown.length > 0 && (
        <Fact name="Names what does not exist">
          <SafeText text={unknown.join(", ")} oneLine strict />
        </Fact>
      )}
      <Fact name="File">
        <code>
          <SafeText text={path} oneLine strict />
        </code>
      </Fact>
    </dl>
  );
}

function Patterns({ patterns, none }: { readonly patterns: readonly string[]; readonly none: string }) {
  if (patterns.length === 0) return <span class="muted">{none}</span>;
  return (
    <>
      {patterns.map((pattern, at) => (
        <span key={at}>
          {at > 0 && ", "}
          <code>
            <SafeText text={pattern} oneLine strict />
          </code>
        </span>
      ))}
    </>
  );
}

interface NamedProps {
  readonly name: string;
  readonly tickets: readonly { readonly id: string; readonly title: string; readonly path?: string }[];
  readonly placeOf: (id: string) => string;
}

function Named({ name, tickets, placeOf }: NamedProps) {
  if (tickets.length === 0) return null;
  return (
    <Fact name={name}>
      <ul>
        {tickets.map(({ id, title, path }) => (
          <li key={id}>
            <Link to={placeOf(id)}>
              <SafeText text={title} oneLine strict />
            </Link>
            {path !== undefined && (
              <>
                {" "}
                <code>
                  <SafeText text={path} oneLine strict />
                </code>
              </>
            )}
          </li>
        ))}
      </ul>
    </Fact>
  );
}

function Criteria({ ticket: { acceptance } }: { readonly ticket: Opened }) {
  if (acceptance.length === 0) return null;
  return (
    <>
      <h3>Done when</h3>
      <ol class="tickets-criteria">
        {acceptance.map(({ id, text, check }) => (
          <li key={id}>
            <SafeText text={text} strict />{" "}
            {check === undefined ? (
              <Badge>needs a witness</Badge>
            ) : (
              <code>
                <SafeText text={check.join(" ")} oneLine strict />
              </code>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
