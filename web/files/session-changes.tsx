import { useState } from "preact/hooks";
import type { OutputOf } from "../../src/client/index.ts";
import { ErrorCard, Link, useCall } from "../frame/index.ts";
import { Badge, Empty, Field, Select } from "../parts/index.ts";
import { Diff, SafeText } from "../text/index.ts";
import { byFolder } from "./by-folder.ts";

const TURNS_MAX = 200;
/** So few changes are shown at once. */
const OPEN_MAX = 3;

/** The files of one turn, grouped by folder; the last turn first. */
export function SessionChanges({ id }: { readonly id: string }) {
  const turns = useCall("session.turns", { id, limit: TURNS_MAX }, { on: /^turn\./ });
  const [chosen, setChosen] = useState("");
  if (turns.error !== undefined) return <ErrorCard error={turns.error} again={turns.again} />;
  if (turns.value === undefined) return <p class="muted">Loading …</p>;
  const list = turns.value.turns.toReversed();
  const [last] = list;
  if (last === undefined) return <p class="muted">It had no turn yet.</p>;
  const turn = chosen === "" ? String(last.turn) : chosen;
  return (
    <div class="files-opened">
      <Field label="Turn">
        {(field) => (
          <Select
            id={field}
            value={turn}
            options={list.map((one) => [String(one.turn), `${one.turn}: ${(one.prompt ?? "erased").slice(0, 70)}`])}
            onChange={setChosen}
          />
        )}
      </Field>
      <TurnChanges id={id} turn={Number(turn)} />
      <p>
        <Link to={`/ui/session/${id}`}>Open the session</Link>
      </p>
    </div>
  );
}

type Changed = OutputOf<"session.diff">["files"][number];

const WORDS = {
  added: ["added", "good"],
  changed: ["changed", "accent"],
  deleted: ["deleted", "bad"],
  mode: ["rights changed", "plain"],
} as const;

function TurnChanges({ id, turn }: { readonly id: string; readonly turn: number }) {
  const { value, error, again } = useCall("session.diff", { id, turn });
  if (error !== undefined) return <ErrorCard error={error} again={again} />;
  if (value === undefined) return <p class="muted">Loading …</p>;
  if (value.files.length === 0)
    return <Empty title="This turn changed no file">It only talked, or what it wrote was there before.</Empty>;
  const isShort = value.files.filter(({ diff }) => diff !== null).length <= OPEN_MAX;
  return (
    <>
      {byFolder(value.files).map(({ folder, files }) => (
        <section key={folder} class="files-folder" aria-label={folder === "" ? "The directory itself" : folder}>
          <h3>
            <SafeText text={folder === "" ? "." : folder} oneLine strict />{" "}
            <span class="muted">
              {files.length} {files.length === 1 ? "file" : "files"}
            </span>
          </h3>
          {files.map((file) => (
            <ChangedFile key={file.path} file={file} isOpen={isShort && file.diff !== null} />
          ))}
        </section>
      ))}
    </>
  );
}

function ChangedFile({
  file: { path, change, diff, noDiff },
  isOpen,
}: {
  readonly file: Changed;
  readonly isOpen: boolean;
}) {
  const [word, kind] = WORDS[change];
  const [isShown, setShown] = useState(isOpen);
  return (
    <details class="files-file" open={isShown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>
        <Badge kind={kind}>{word}</Badge>{" "}
        <span class="mono">
          <SafeText text={path.slice(path.lastIndexOf("/") + 1)} oneLine strict />
        </span>
      </summary>
      {isShown &&
        (diff === null ? <p class="muted">{noDiff ?? "No text to compare."}</p> : <Diff patch={diff} strict />)}
    </details>
  );
}
