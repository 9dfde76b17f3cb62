import { useState } from "preact/hooks";
import { ErrorCard, navigate, type PageProps, useCall } from "../frame/index.ts";
import { Button, Empty, Field } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { BlameSpan } from "./blame-span.tsx";
import { sharesOf, spansOf } from "./spans.ts";
import "./page.css";

/** Lines of one picture: more would make the page slow on a phone. */
const PAGE_LINES = 500;
const SHARES_SHOWN = 8;

/** Who wrote each line of a file: session, turn, agent, model, approver. */
export function View({ query }: PageProps) {
  const [cwd, path] = [query.get("cwd") ?? "", query.get("path") ?? ""];
  const from = Math.max(1, Number(query.get("from") ?? "1") || 1);
  return (
    <div class="page blame">
      <header class="page-head">
        <h1>Blame</h1>
      </header>
      <WhichFile key={`${cwd}\n${path}`} cwd={cwd} path={path} />
      {cwd === "" || path === "" ? (
        <Empty title="Choose a file" command="nomos blame src/main.ts">
          Each line is told with the session, the turn and the agent that wrote it, also after squash, rebase and moves.
        </Empty>
      ) : (
        <Lines key={`${cwd}\n${path}\n${from}`} cwd={cwd} path={path} from={from} />
      )}
    </div>
  );
}

function placeOf(cwd: string, path: string, from = 1): string {
  const query = new URLSearchParams({ cwd, path, ...(from === 1 ? {} : { from: String(from) }) });
  return `/ui/blame?${query}`;
}

function WhichFile({ cwd: givenCwd, path: givenPath }: { readonly cwd: string; readonly path: string }) {
  const [cwd, setCwd] = useState(givenCwd);
  const [path, setPath] = useState(givenPath);
  const trees = useCall("worktree.list", {});
  const spaces = useCall("workspace.list", {});
  const known = new Set([
    ...(trees.value?.worktrees ?? []).map(({ repository }) => repository),
    ...(spaces.value?.workspaces ?? []).map((one) => one.path),
  ]);
  return (
    <form
      class="blame-form"
      onSubmit={(event) => {
        event.preventDefault();
        navigate(placeOf(cwd.trim(), path.trim()));
      }}
    >
      <Field label="Folder of the repository">
        {(id) => (
          <>
            <input
              id={id}
              list="blame-folders"
              value={cwd}
              onInput={({ currentTarget }) => setCwd(currentTarget.value)}
            />
            <datalist id="blame-folders">
              {[...known].map((folder) => (
                <option key={folder} value={folder} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <Field label="File">
        {(id) => (
          <input id={id} data-search value={path} onInput={({ currentTarget }) => setPath(currentTarget.value)} />
        )}
      </Field>
      <Button kind="primary" type="submit" disabled={cwd.trim() === "" || path.trim() === ""}>
        Show
      </Button>
    </form>
  );
}

interface LinesProps {
  readonly cwd: string;
  readonly path: string;
  readonly from: number;
}

function Lines({ cwd, path, from }: LinesProps) {
  const lines = `${from},${from + PAGE_LINES - 1}`;
  const { value, error, again } = useCall("blame.file", { cwd, path, lines }, { on: /^landing\.landed/ });
  if (error !== undefined) return <ErrorCard error={error} again={again} />;
  if (value === undefined) return <p class="muted loading">Loading …</p>;
  if (value.binary) return <p class="muted">A binary file has no lines.</p>;
  const last = value.lines.at(-1)?.line ?? from;
  return (
    <>
      <p class="muted">
        <SafeText text={value.path} strict oneLine /> at {value.head?.slice(0, 12) ?? "no commit"}, lines {from} to{" "}
        {last}.{!value.followsMoves && " Moved lines were not looked for: git took too long."}
      </p>
      <ul class="blame-shares" aria-label="Who wrote how many of these lines">
        {sharesOf(value.lines)
          .slice(0, SHARES_SHOWN)
          .map(([who, count]) => (
            <li key={who}>
              <SafeText text={who} strict oneLine /> <span class="muted">{count}</span>
            </li>
          ))}
      </ul>
      <ol class="blame-lines" aria-label="Lines with their origin">
        {spansOf(value.lines).map((span) => (
          <BlameSpan key={span.first.line} span={span} />
        ))}
      </ol>
      <div class="blame-pages">
        {from > 1 && (
          <Button onClick={() => navigate(placeOf(cwd, path, Math.max(1, from - PAGE_LINES)))}>Lines before</Button>
        )}
        {value.next !== null && (
          <Button onClick={() => navigate(placeOf(cwd, path, value.next ?? 1))}>Next lines</Button>
        )}
      </div>
    </>
  );
}
