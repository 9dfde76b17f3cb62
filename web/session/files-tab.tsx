import { useState } from "preact/hooks";
import { ErrorCard, nomos, useAction, useCall } from "../frame/index.ts";
import { Ago, Badge, Button, bytesText, Empty } from "../parts/index.ts";
import { TodoView, TurnFiles } from "../talk/index.ts";
import { Code, SafeText } from "../text/index.ts";
import { type Turn, useTurns } from "./use-turns.ts";

interface FilesTabProps {
  readonly id: string;
  /** Changes when turns come or go. */
  readonly changes: number;
}

const TURNS_SHOWN = 30;

/** What each turn changed, newest first; artifacts and todo. */
export function FilesTab({ id, changes }: FilesTabProps) {
  const { turns, error } = useTurns(id, changes);
  const [shown, setShown] = useState(TURNS_SHOWN);
  if (error !== null) return <ErrorCard error={error} />;
  if (turns === null) return <p class="muted">Reading the turns …</p>;
  const newest = turns.toReversed();
  return (
    <div class="session-files">
      <Todo id={id} changes={changes} />
      <Artifacts id={id} changes={changes} />
      {newest.length === 0 && <Empty title="No turn yet">What a turn changes in the files is shown here.</Empty>}
      {newest.slice(0, shown).map((turn, at) => (
        <TurnCard key={turn.turnId} id={id} turn={turn} isFirst={at === 0} />
      ))}
      {newest.length > shown && <Button onClick={() => setShown(shown + TURNS_SHOWN)}>Earlier turns</Button>}
    </div>
  );
}

function TurnCard({ id, turn, isFirst }: { readonly id: string; readonly turn: Turn; readonly isFirst: boolean }) {
  const [isOpen, setOpen] = useState(isFirst);
  const { turn: number, prompt, outcome, rewound, turnId, endedAt } = turn;
  return (
    <details class="session-turn" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <strong>Turn {number}</strong>
        <span class="session-turn-prompt">
          {prompt === null ? <em>erased</em> : <SafeText text={prompt} oneLine />}
        </span>
        {rewound && <Badge kind="warn">rewound</Badge>}
        <span class="muted">
          {outcome ?? "runs"}
          {endedAt !== undefined && (
            <>
              {" · "}
              <Ago at={endedAt} /> ago
            </>
          )}
        </span>
      </summary>
      {isOpen && <TurnFiles key={outcome} id={id} turnId={turnId} withTools />}
    </details>
  );
}

function Todo({ id, changes }: FilesTabProps) {
  const { value } = useCall("todo.show", { id }, { when: changes >= 0 });
  if (value === undefined || value.items.length === 0) return null;
  return (
    <section>
      <h2>Todo</h2>
      <TodoView items={value.items} />
    </section>
  );
}

function Artifacts({ id, changes }: FilesTabProps) {
  const { value } = useCall("artifact.list", { id }, { when: changes >= 0 });
  if (value === undefined || value.artifacts.length === 0) return null;
  return (
    <section>
      <h2>Artifacts</h2>
      <ul class="session-artifacts">
        {value.artifacts.map(({ artifactId, path, version, bytes }) => (
          <li key={artifactId}>
            <Artifact id={id} path={path} about={`version ${version} · ${bytesText(bytes)}`} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ArtifactProps {
  readonly id: string;
  readonly path: string;
  readonly about: string;
}

function Artifact({ id, path, about }: ArtifactProps) {
  const [content, setContent] = useState<string | null>(null);
  const { run } = useAction();
  const read = async (isOpen: boolean): Promise<void> => {
    if (!isOpen || content !== null) return;
    const found = await run(() => nomos().call("artifact.read", { id, path }));
    if (found !== undefined) setContent(found.encoding === "utf8" ? found.content : `(${found.mediaType}, no text)`);
  };
  return (
    <details class="talk-tool" onToggle={({ currentTarget }) => void read(currentTarget.open)}>
      <summary>
        <span class="talk-tool-title mono">
          <SafeText text={path} oneLine strict />
        </span>
        <span class="talk-figures">{about}</span>
      </summary>
      <div class="talk-tool-body">{content !== null && <Code text={content} path={path} />}</div>
    </details>
  );
}
