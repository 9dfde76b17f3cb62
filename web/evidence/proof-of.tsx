import type { OutputOf } from "../../src/client/index.ts";
import { ErrorCard, Link, useCall } from "../frame/index.ts";
import { Ago, Badge, Copy, Fact } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";

type Proof = OutputOf<"ticket.proof">;
type Found = NonNullable<Proof["evidence"]>;

interface ProofOfProps {
  readonly cwd: string;
  readonly id: string;
}

/** What one ticket rests on, with the way to the log's own proof; or what it lacks. */
export function ProofOf({ cwd, id }: ProofOfProps) {
  const { value, error, again } = useCall("ticket.proof", { cwd, id }, { on: /^(?:ticket|landing)\./ });
  if (error !== undefined && value === undefined) return <ErrorCard error={error} again={again} />;
  if (value === undefined) return <p class="muted">Looking for proof …</p>;
  const { proven, missing, evidence, closed, kept } = value;
  return (
    <div class="evidence-proof">
      {!proven && (
        <>
          <p>
            <Badge kind="warn">unproven</Badge> It lacks:
          </p>
          <ul class="evidence-missing" aria-label="What is missing">
            {missing.map((one, at) => (
              <li key={at}>
                <SafeText text={one} strict />
              </li>
            ))}
          </ul>
        </>
      )}
      {proven && closed === undefined && kept === undefined && (
        <>
          <p>
            <Badge kind="good">proven</Badge> It can be closed:
          </p>
          <Copy text={`nomos ticket close ${id}`} />
        </>
      )}
      {closed !== undefined && <Closed closed={closed} />}
      {kept !== undefined && closed === undefined && (
        <p>
          <Badge kind="warn">not in this log</Badge> It was closed elsewhere; this log did not see it.
        </p>
      )}
      {evidence !== undefined && <Rests evidence={evidence} />}
    </div>
  );
}

function Closed({ closed: { event, at, by, same } }: { readonly closed: NonNullable<Proof["closed"]> }) {
  return (
    <p>
      {same ? <Badge kind="good">proven</Badge> : <Badge kind="bad">changed since</Badge>} Closed by{" "}
      <SafeText text={by} oneLine strict />, <Ago at={at} /> ago.{" "}
      {!same && "What is kept in git is not what the log recorded. "}
      <EventLink id={event}>Proof of the closing</EventLink>
    </p>
  );
}

function Rests({ evidence }: { readonly evidence: Found }) {
  const { session, agent, model, landing, commit, branch, checks = [], criteria = [], event } = evidence;
  return (
    <>
      <dl class="evidence-facts">
        {session !== undefined && (
          <Fact name="Work of">
            <Link to={`/ui/session/${encodeURIComponent(session)}`}>its session</Link>{" "}
            <span class="muted">
              <SafeText text={[agent, model].filter(Boolean).join(" · ")} oneLine strict />
            </span>
          </Fact>
        )}
        {landing !== undefined && (
          <Fact name="Landed">
            <Link to={`/ui/landings?id=${encodeURIComponent(landing)}`}>the landing</Link> on{" "}
            <SafeText text={branch ?? ""} oneLine strict />{" "}
            {event !== undefined && <EventLink id={event}>Proof of the landing</EventLink>}
          </Fact>
        )}
        {commit !== undefined && (
          <Fact name="Commit">
            <code>
              <SafeText text={commit} oneLine strict />
            </code>
          </Fact>
        )}
        <Fact name="Checks that passed">
          {checks.length === 0 ? (
            <span class="muted">none were needed</span>
          ) : (
            <ul>
              {checks.map((argv, at) => (
                <li key={at}>
                  <code>
                    <SafeText text={argv.join(" ")} oneLine strict />
                  </code>
                </li>
              ))}
            </ul>
          )}
        </Fact>
      </dl>
      {criteria.length > 0 && (
        <ul class="evidence-criteria" aria-label="Criteria and their witnesses">
          {criteria.map((criterion) => (
            <Criterion key={criterion.id} criterion={criterion} />
          ))}
        </ul>
      )}
    </>
  );
}

type CriterionFound = NonNullable<Found["criteria"]>[number];

function Criterion({ criterion: { text, witness } }: { readonly criterion: CriterionFound }) {
  const { check, event, namedBy } = witness;
  return (
    <li>
      <SafeText text={text} strict />{" "}
      <span class="muted">
        {check !== undefined && (
          <>
            seen by{" "}
            <code>
              <SafeText text={check.join(" ")} oneLine strict />
            </code>
          </>
        )}
        {event !== undefined && (
          <>
            <EventLink id={event}>its witness</EventLink>
            {namedBy !== undefined && (
              <>
                , named by <SafeText text={namedBy} oneLine strict />
              </>
            )}
          </>
        )}
      </span>
    </li>
  );
}

function EventLink({ id, children }: { readonly id: string; readonly children: string }) {
  return <Link to={`/ui/audit/event/${encodeURIComponent(id)}`}>{children}</Link>;
}
