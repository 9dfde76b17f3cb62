import { ErrorCard, Link, type PageProps, useCall } from "../frame/index.ts";
import { Ago, Badge, Empty } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import "./page.css";

const LISTED_MAX = 200;

/** Prompts that ran in several worktrees at once. */
export function View(_props: PageProps) {
  const { value, error, again } = useCall("fan-out.list", { limit: LISTED_MAX }, { on: /^(?:fanout|landing)\./ });
  if (error !== undefined && value === undefined)
    return (
      <div class="page">
        <ErrorCard error={error} again={again} />
      </div>
    );
  if (value === undefined) return <p class="muted loading">Loading …</p>;
  return (
    <div class="page fan-outs">
      <header class="page-head">
        <h1>Fan-outs</h1>
      </header>
      {value.fanOuts.length === 0 && (
        <Empty title="No fan-out yet" command={`nomos fan-out "fix the parser" --agents claude,codex`}>
          One prompt runs with several agents, each in a worktree of its own. Compare what they made, land one, and keep
          the others until you drop them.
        </Empty>
      )}
      {value.fanOuts.length > 0 && (
        <ul class="fan-outs-list" aria-label="Fan-outs">
          {value.fanOuts.map(({ id, name, state, repository, agents, judged, chosen, startedAt }) => (
            <li key={id}>
              <Link to={`/ui/fan-outs/${encodeURIComponent(id)}`}>{name}</Link>{" "}
              <Badge kind={state === "settled" ? "good" : "accent"}>{state}</Badge>
              {chosen !== null && <Badge kind="good">one was chosen</Badge>}{" "}
              <span>
                <SafeText text={agents.join(", ")} strict oneLine />
              </span>{" "}
              <span class="muted">
                {judged} of {agents.length} judged · <SafeText text={repository} strict oneLine />,{" "}
                <Ago at={startedAt} /> ago
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
