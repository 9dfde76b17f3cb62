import type { Session } from "../../src/client/index.ts";
import { Link } from "../frame/index.ts";
import { useSessions } from "../live/index.ts";
import { StateBadge, Tree } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";

/** Parents, forks and sessions that it started, as a tree; nothing when it is alone. */
export function Relatives({ session }: { readonly session: Session }) {
  const family = familyOf(session, useSessions());
  if (family.length < 2) return null;
  const nodes = family.map((one) => ({ ...one, parent: parentOf(one) ?? null }));
  return (
    <details class="session-relatives">
      <summary>{family.length} related sessions</summary>
      <Tree label="Related sessions" nodes={nodes} current={session.id}>
        {(node) => (
          <span class="session-relative">
            <Link to={`/ui/session/${encodeURIComponent(node.id)}`}>
              <SafeText text={node.title ?? node.name} oneLine />
            </Link>{" "}
            <StateBadge session={node} />
            {node.id !== session.id && (
              <Link to={`/ui/compare/${encodeURIComponent(session.id)}/${encodeURIComponent(node.id)}`}>compare</Link>
            )}
          </span>
        )}
      </Tree>
    </details>
  );
}

function parentOf({ forkedFrom, parentSessionId }: Session): string | undefined {
  return forkedFrom?.sessionId ?? parentSessionId;
}

/** All that are reached by links to parents, in both directions. */
function familyOf(session: Session, all: readonly Session[]): readonly Session[] {
  const sessions = new Map(all.map((one) => [one.id, one]));
  sessions.set(session.id, session);
  const children = Map.groupBy(sessions.values(), (one) => parentOf(one) ?? "");
  const found = new Map<string, Session>();
  const queue = [session.id];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    const one = sessions.get(id);
    if (one === undefined || found.has(id)) continue;
    found.set(id, one);
    const parent = parentOf(one);
    if (parent !== undefined) queue.push(parent);
    for (const child of children.get(id) ?? []) queue.push(child.id);
  }
  return [...found.values()];
}
