import { memo } from "preact/compat";
import { useEffect } from "preact/hooks";
import { Link } from "../frame/index.ts";
import { lookAt, useSession } from "../live/index.ts";
import { Ago, costText, StateBadge, tokensText } from "../parts/index.ts";
import { safeString } from "../text/index.ts";

interface BoardRowProps {
  readonly id: string;
  readonly isCurrent: boolean;
  readonly isPicked: boolean;
  readonly onPick: (id: string) => void;
}

/** Drawn again only when this session changes. */
export const BoardRow = memo(({ id, isCurrent, isPicked, onPick }: BoardRowProps) => {
  const row = useSession(id);
  const isSilent = row !== undefined && row.doing === undefined;
  useEffect(() => {
    if (isSilent) lookAt(id);
  }, [id, isSilent]);
  if (row === undefined) return null;
  const title = safeString(row.title ?? row.label ?? row.name);
  return (
    <div class={`now-row${isCurrent ? " now-row-current" : ""}`}>
      <input
        type="checkbox"
        class="now-pick"
        aria-label={`Select ${row.name}`}
        checked={isPicked}
        onChange={() => onPick(id)}
      />
      <StateBadge session={row} />
      <div class="now-what">
        <Link to={`/ui/session/${id}`} class="now-title">
          <bdi>{title}</bdi>
        </Link>
        <span class="now-doing muted" dir="auto">
          <span class="now-short">{row.agent} · </span>
          {safeString(row.doing ?? "")}
        </span>
      </div>
      <span class="now-agent">
        <bdi>{row.agent}</bdi>
        <small class="muted">{row.name}</small>
      </span>
      <span class="now-place muted" title={row.cwd}>
        <bdi>{row.workspaceSlug === "default" ? lastOf(row.cwd) : row.workspaceSlug}</bdi>
        <small>{row.sandbox === "off" ? "no sandbox" : row.sandbox}</small>
      </span>
      <span class="now-figure now-tokens" title="tokens">
        {tokensText(row.spent)}
      </span>
      <span class="now-figure now-cost" title="cost">
        {costText(row.spent)}
      </span>
      <span class="now-figure now-age muted">
        <Ago at={row.lastOutputAt ?? row.startedAt} />
      </span>
    </div>
  );
});

function lastOf(path: string): string {
  return safeString(path.split("/").at(-1) ?? path);
}
