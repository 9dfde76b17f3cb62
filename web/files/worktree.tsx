import type { OutputOf } from "../../src/client/index.ts";
import { ErrorCard, Link, useCall } from "../frame/index.ts";
import { useSession } from "../live/index.ts";
import { Ago, Badge, Copy, Fact, Icon } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { WorktreeActions } from "./worktree-actions.tsx";

type Listed = OutputOf<"worktree.list">["worktrees"][number];

interface WorktreeProps {
  readonly worktree: Listed;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onChange: () => void;
}

/** One worktree; opened it tells what would be lost with it. */
export function Worktree({ worktree, isCurrent, isOpen, onToggle, onChange }: WorktreeProps) {
  const { id, branch, repository, state, sessions, createdAt } = worktree;
  const session = useSession(id);
  return (
    <li id={`files-${id}`} class={isCurrent ? "files-tree files-current" : "files-tree"}>
      <div class="files-tree-head">
        <button type="button" class="files-fold" aria-expanded={isOpen} onClick={onToggle}>
          <Icon name={isOpen ? "down" : "right"} />
          <strong>
            <SafeText text={branch} oneLine strict />
          </strong>
        </button>
        {state === "missing" && <Badge kind="bad">folder is missing</Badge>}
        {sessions.length > 0 ? <Badge kind="accent">in use by {sessions.length}</Badge> : <Badge>not in use</Badge>}
        <Link to={`/ui/session/${id}`}>
          <SafeText text={session?.title ?? session?.name ?? "its session"} oneLine />
        </Link>
        <span class="muted files-repository">
          of <SafeText text={repository} oneLine />, <Ago at={createdAt} /> old
        </span>
      </div>
      {isOpen && <Opened worktree={worktree} onChange={onChange} />}
    </li>
  );
}

function Opened({ worktree, onChange }: { readonly worktree: Listed; readonly onChange: () => void }) {
  const { id, path, fetch, objects, carried, notCarried, base } = worktree;
  const { value, error, again } = useCall("worktree.show", { id }, { on: /^(?:worktree|turn)\./ });
  const changed = (): void => {
    again();
    onChange();
  };
  return (
    <div class="files-opened">
      {error !== undefined && <ErrorCard error={error} again={again} />}
      {value !== undefined && <Work work={value.work} />}
      <WorktreeActions id={id} onChange={changed} />
      <dl class="files-facts">
        <Fact name="Folder">
          <Copy text={path} />
        </Fact>
        <Fact name="Take its commits over">
          <Copy text={fetch} />
        </Fact>
        <Fact name="Made from">
          {base === null ? "a repository without a commit" : <code>{base.slice(0, 12)}</code>}
        </Fact>
        {objects === "shared" && (
          <Fact name="Careful">
            It shares objects with the repository: <code>git prune</code> there can break it.
          </Fact>
        )}
        {carried.length > 0 && (
          <Fact name="Carried along">
            <SafeText text={carried.join(", ")} />
          </Fact>
        )}
        {notCarried.length > 0 && (
          <Fact name="Left behind">
            <SafeText text={notCarried.map(({ path: left, reason }) => `${left}: ${reason}`).join("; ")} />
          </Fact>
        )}
      </dl>
    </div>
  );
}

type WorkLeft = OutputOf<"worktree.show">["work"];

const KINDS = [
  ["changed", "changed, not committed"],
  ["untracked", "new, not known to git"],
  ["carried", "carried files, new or changed"],
  ["commits", "commits that your repository does not have"],
  ["nested", "repositories inside"],
] as const;

/** What exists nowhere else. */
function Work({ work }: { readonly work: WorkLeft }) {
  const found = KINDS.filter(([kind]) => work[kind].length > 0);
  if (work.unclear !== null)
    return (
      <p class="files-warning">
        It could not be checked what it holds: <SafeText text={work.unclear} />
      </p>
    );
  if (found.length === 0) return <p class="files-safe">Nothing would be lost with it.</p>;
  return (
    <div class="files-work">
      <p class="files-warning">Would be lost with it:</p>
      {found.map(([kind, words]) => (
        <details key={kind} open={work[kind].length <= 12}>
          <summary>
            {work[kind].length} {words}
          </summary>
          <ul>
            {work[kind].map((one) => (
              <li key={one} class="mono">
                <SafeText text={one} strict oneLine />
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}
