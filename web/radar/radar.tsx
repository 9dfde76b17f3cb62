import type { OutputOf } from "../../src/client/index.ts";
import { ErrorCard, Link, type PageProps, useCall } from "../frame/index.ts";
import { useSession } from "../live/index.ts";
import { Ago, Badge, Empty } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import "./page.css";

type Listed = OutputOf<"conflict.list">;
type CollidedFile = Listed["conflicts"][number]["files"][number];

/** Live sessions whose work collides, with files and lines, and those whose branch has moved under them. */
export function View(_props: PageProps) {
  const { value, error, again } = useCall("conflict.list", {}, { on: /^(?:conflict|base|landing)\./ });
  if (error !== undefined && value === undefined)
    return (
      <div class="page">
        <ErrorCard error={error} again={again} />
      </div>
    );
  if (value === undefined) return <p class="muted loading">Loading …</p>;
  const { conflicts, bases } = value;
  return (
    <div class="page radar">
      <header class="page-head">
        <h1>Radar</h1>
      </header>
      {conflicts.length === 0 && bases.length === 0 && (
        <Empty title="Nothing collides" command="nomos conflict list">
          Worktrees of sessions at work are merged in memory as they change. Two that touch the same lines are named
          here within seconds, and their agents are told.
        </Empty>
      )}
      {conflicts.length > 0 && (
        <section aria-label="Sessions that collide">
          <h2>{conflicts.length === 1 ? "Two sessions collide" : `${conflicts.length} pairs collide`}</h2>
          <ul class="radar-list">
            {conflicts.map((conflict) => (
              <Collision key={conflict.sessions.join(" ")} conflict={conflict} />
            ))}
          </ul>
        </section>
      )}
      {bases.length > 0 && (
        <section aria-label="Branches that moved">
          <h2>Branches that moved under a session</h2>
          <ul class="radar-list">
            {bases.map((base) => (
              <StaleBase key={`${base.sessionId} ${base.branch}`} base={base} />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Collision({ conflict }: { readonly conflict: Listed["conflicts"][number] }) {
  const { sessions, files, more, since, repository } = conflict;
  const [a = "", b = ""] = sessions;
  return (
    <li>
      <p>
        <SessionLink id={a} /> and <SessionLink id={b} />{" "}
        <span class="muted">
          since <Ago at={since} />
          {repository !== null && (
            <>
              {" "}
              in <SafeText text={repository} strict oneLine />
            </>
          )}
        </span>
      </p>
      <Collided files={files} more={more} names={["first", "second"]} />
    </li>
  );
}

function StaleBase({ base }: { readonly base: Listed["bases"][number] }) {
  const { sessionId, branch, behind, files, more, since } = base;
  return (
    <li>
      <p>
        <SessionLink id={sessionId} /> began before <SafeText text={branch} strict oneLine />{" "}
        {behind === null ? "was moved elsewhere" : `got ${behind} ${behind === 1 ? "commit" : "commits"}`}{" "}
        <span class="muted">
          since <Ago at={since} />
        </span>
      </p>
      <Collided files={files} more={more} names={["session", "branch"]} />
    </li>
  );
}

function SessionLink({ id }: { readonly id: string }) {
  const session = useSession(id);
  return (
    <Link to={`/ui/session/${encodeURIComponent(id)}`}>
      <SafeText text={session?.title ?? session?.name ?? id} oneLine />
    </Link>
  );
}

interface CollidedProps {
  readonly files: readonly CollidedFile[];
  readonly more: number;
  /** Whose lines they are. */
  readonly names: readonly [string, string];
}

function Collided({ files, more, names: [one, other] }: CollidedProps) {
  return (
    <ul class="radar-files" aria-label="Files">
      {files.map(({ path, kind, lines }) => (
        <li key={path}>
          <Badge kind={kind === "moved" ? "plain" : "warn"}>{kind}</Badge>{" "}
          <code>
            <SafeText text={path} strict oneLine />
          </code>{" "}
          {lines !== undefined && lines.length > 0 && (
            <span class="muted">
              {lines.map(({ a, b }) => `${one} ${spellRange(a)}, ${other} ${spellRange(b)}`).join("; ")}
            </span>
          )}
        </li>
      ))}
      {more > 0 && <li class="muted">and {more} more</li>}
    </ul>
  );
}

function spellRange({ from, to }: { readonly from: number; readonly to: number }): string {
  return from >= to ? `line ${from}` : `lines ${from}–${to}`;
}
