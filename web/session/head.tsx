import { Link } from "../frame/index.ts";
import type { Row } from "../live/index.ts";
import { Ago, Badge, costText, StateBadge, tokensText } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { SessionMenu } from "./menu.tsx";
import { Relatives } from "./relatives.tsx";

interface HeadProps {
  readonly session: Row;
  readonly onCompact: () => void;
}

export function Head({ session, onCompact }: HeadProps) {
  const { title, name, agent, workspaceSlug, cwd, startedAt, spent, forkedFrom, id, label, error } = session;
  return (
    <>
      <div class="session-name">
        <h1>
          <SafeText text={title ?? name} oneLine />
        </h1>
        <StateBadge session={session} />
        <SessionMenu session={session} onCompact={onCompact} />
      </div>
      <p class="session-facts">
        <span class="session-state">
          <StateBadge session={session} />
        </span>
        <span>
          <SafeText text={agent} oneLine />
        </span>
        <span class="muted" title={cwd}>
          <SafeText text={workspaceSlug} oneLine />
        </span>
        {label !== undefined && <Badge>{<SafeText text={label} oneLine />}</Badge>}
        <span class="muted">
          <Ago at={startedAt} /> old
        </span>
        {spent !== undefined && (
          <span class="muted">
            {tokensText(spent)} tokens · {costText(spent)}
          </span>
        )}
        {forkedFrom !== undefined && (
          <span>
            fork of <Link to={`/ui/session/${encodeURIComponent(forkedFrom.sessionId)}`}>its parent</Link> ·{" "}
            <Link to={`/ui/compare/${encodeURIComponent(forkedFrom.sessionId)}/${encodeURIComponent(id)}`}>
              compare
            </Link>
          </span>
        )}
      </p>
      <Relatives session={session} />
      {error !== undefined && (
        <p class="session-error">
          <SafeText text={error.message} /> <code>{error.code}</code>
        </p>
      )}
    </>
  );
}
