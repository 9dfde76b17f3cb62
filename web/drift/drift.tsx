import { useState } from "preact/hooks";
import type { OutputOf } from "../../src/client/index.ts";
import { ErrorCard, Link, type PageProps, useCall } from "../frame/index.ts";
import { useSession } from "../live/index.ts";
import { Ago, Badge, Button, Empty, Spark } from "../parts/index.ts";
import { ChooseRepository, LawError, NoRepository, useRepository } from "../repository/index.ts";
import { SafeText } from "../text/index.ts";
import { bySession, type Drifting, kindOf } from "./by-session.ts";
import "./page.css";

const FRESH = { on: /^work\./ };
const SAMPLES_MAX = 1000;

/** How far the work of sessions is from what their tickets allow, now and over time. */
export function View({ query }: PageProps) {
  const repository = useRepository("/ui/drift", query);
  const { cwd } = repository;
  return (
    <div class="page drift">
      <header class="page-head">
        <h1>Drift</h1>
        <ChooseRepository {...repository} />
      </header>
      {cwd === null ? <NoRepository /> : <DriftOf key={cwd} cwd={cwd} />}
    </div>
  );
}

function DriftOf({ cwd }: { readonly cwd: string }) {
  const history = useCall("work.drift", { cwd, limit: SAMPLES_MAX }, FRESH);
  const works = useCall("work.list", { cwd }, FRESH);
  const error = history.error ?? works.error;
  if (error !== undefined) return <LawError error={error} again={history.again} />;
  if (history.value === undefined || works.value === undefined) return <p class="muted loading">Loading …</p>;
  const sessions = bySession(history.value.samples, works.value.works);
  if (sessions.length === 0)
    return (
      <Empty title="No work was measured yet" command="nomos run --ticket TICKET">
        While a session works on a ticket, its changes are measured against the ticket’s scope, budget and boundary.
      </Empty>
    );
  return (
    <>
      <Fleet fleet={history.value} />
      <ul class="drift-list" aria-label="Sessions on tickets">
        {sessions.map((session) => (
          <SessionDrift key={session.sessionId} session={session} />
        ))}
      </ul>
    </>
  );
}

type Fleet = OutputOf<"work.drift">;

function Fleet({ fleet: { average, max, high, samples } }: { readonly fleet: Fleet }) {
  const scores = samples.map(({ score }) => score).toReversed();
  return (
    <section class="card drift-fleet" aria-label="All sessions">
      <p>
        <strong>{average?.toFixed(3) ?? "–"}</strong> on average, <strong>{max?.toFixed(3) ?? "–"}</strong> at most,{" "}
        <Badge kind={high === 0 ? "good" : "bad"}>{high} drift far</Badge>
      </p>
      {scores.length > 1 && <Spark label="Drift of all sessions over time" values={scores} format={figure} />}
    </section>
  );
}

const figure = (value: number): string => value.toFixed(3);

function SessionDrift({ session }: { readonly session: Drifting }) {
  const { sessionId, ticket, agent, isOpen, last, scores } = session;
  const [isLive, setLive] = useState(false);
  const known = useSession(sessionId);
  return (
    <li>
      <div class="drift-head">
        <Link to={`/ui/session/${encodeURIComponent(sessionId)}`}>
          <SafeText text={known?.title ?? known?.name ?? sessionId} oneLine strict />
        </Link>
        {last === null ? (
          <Badge>not measured yet</Badge>
        ) : (
          <Badge kind={kindOf(last.score)}>{figure(last.score)}</Badge>
        )}
        {!isOpen && <Badge>over</Badge>}
        <span class="muted">
          <SafeText text={`${ticket} · ${agent}`} oneLine strict />
          {last !== null && (
            <>
              , <Ago at={last.at} /> ago
            </>
          )}
        </span>
        {scores.length > 1 && <Spark label={`Drift of ${ticket} over time`} values={scores} format={figure} />}
      </div>
      {last !== null && <Terms terms={last} />}
      {isOpen && (
        <Button kind="quiet" onClick={() => setLive(!isLive)}>
          {isLive ? "Hide the files" : "Measure now"}
        </Button>
      )}
      {isLive && <Live id={sessionId} />}
    </li>
  );
}

type TermFigures = Pick<OutputOf<"session.drift">, "scope" | "budget" | "boundary" | "lines">;

function Terms({ terms: { scope, budget, boundary, lines } }: { readonly terms: TermFigures }) {
  return (
    <p class="drift-terms">
      <span>outside of the scope {percent(scope)}</span>
      <span>file budget {percent(budget)}</span>
      <span>boundary {boundary === 0 ? "kept" : "broken"}</span>
      <span>line budget {percent(lines)}</span>
    </p>
  );
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

function Live({ id }: { readonly id: string }) {
  const { value, error, again, isLoading } = useCall("session.drift", { id }, FRESH);
  if (error !== undefined) return <ErrorCard error={error} again={again} />;
  if (value === undefined) return <p class="muted">Measuring …</p>;
  const { score, files } = value;
  return (
    <section aria-label="As the files are now">
      <p>
        <Badge kind={kindOf(score)}>{figure(score)}</Badge> now, in {files.length}{" "}
        {files.length === 1 ? "file" : "files"}
      </p>
      <Terms terms={value} />
      <ul class="drift-files" aria-label="Changed files">
        {files.map(({ path, inScope }) => (
          <li key={path}>
            <Badge kind={inScope ? "good" : "bad"}>{inScope ? "in scope" : "out of scope"}</Badge>{" "}
            <code>
              <SafeText text={path} oneLine strict />
            </code>
          </li>
        ))}
      </ul>
      <Button disabled={isLoading} onClick={again}>
        Measure again
      </Button>
    </section>
  );
}
