import type { OutputOf } from "../../src/client/index.ts";
import { ErrorCard, useCall } from "../frame/index.ts";
import { Badge, bytesText } from "../parts/index.ts";
import { Diff, SafeText } from "../text/index.ts";
import { foldEvents } from "./fold/fold.ts";
import { Folded } from "./folded.tsx";
import { TalkView } from "./talk-view.tsx";

type Changed = OutputOf<"session.diff">["files"][number];

/** Longer diffs are folded at first. */
const UNFOLDED_LINES_MAX = 120;
const EVENTS_MAX = 500;

interface TurnFilesProps {
  readonly id: string;
  readonly turnId: string;
  /** Also what its commands printed and what was put back. */
  readonly withTools?: boolean;
}

/** What one turn changed, file by file. */
export function TurnFiles({ id, turnId, withTools = false }: TurnFilesProps) {
  const diff = useCall("session.diff", { id, turn: turnId });
  return (
    <div class="talk-files">
      {diff.value === undefined && diff.error === undefined && <p class="muted">Reading the files …</p>}
      {diff.error !== undefined && <ErrorCard error={diff.error} again={diff.again} />}
      {diff.value?.files.length === 0 && <p class="muted">No file changed in this turn.</p>}
      {diff.value?.files.map((file) => (
        <ChangedFile key={file.path} file={file} />
      ))}
      {withTools && <TurnTools id={id} turnId={turnId} />}
    </div>
  );
}

const KINDS = { added: "good", changed: "accent", deleted: "bad", mode: "plain" } as const;

function ChangedFile({ file: { path, change, before, after, diff, noDiff } }: { readonly file: Changed }) {
  const isShort = (diff ?? "").split("\n", UNFOLDED_LINES_MAX + 1).length <= UNFOLDED_LINES_MAX;
  const summary = (
    <>
      <Badge kind={KINDS[change]}>{change}</Badge>
      <span class="talk-tool-title mono">
        <SafeText text={path} oneLine strict />
      </span>
      <span class="talk-figures">{bytesText((after ?? before)?.size ?? 0)}</span>
    </>
  );
  return (
    <Folded class="talk-tool" isOpen={isShort} summary={summary}>
      {() => (
        <div class="talk-tool-body">
          {diff !== null && <Diff patch={diff} />}
          {noDiff !== null && <p class="muted">{noDiff}</p>}
          {change === "mode" && (
            <p class="muted">
              {before?.mode} → {after?.mode}
            </p>
          )}
        </div>
      )}
    </Folded>
  );
}

const TOOLS = ["effect.intended", "effect.output", "effect.settled", "tool.called", "tool.ended", "scope.reverted"];

function TurnTools({ id, turnId }: TurnFilesProps) {
  const { value } = useCall("session.events", { id, turnId, types: TOOLS, limit: EVENTS_MAX });
  const entries = foldEvents(value?.events ?? []);
  if (entries.length === 0) return null;
  return (
    <Folded class="talk-commands" summary={`Commands and tool calls (${entries.length})`}>
      {() => <TalkView entries={entries} isBehind={() => false} label="Tool calls of the turn" />}
    </Folded>
  );
}
