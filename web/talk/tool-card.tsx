import { useLayoutEffect, useRef } from "preact/hooks";
import { Badge, bytesText } from "../parts/index.ts";
import { Ansi, Code, Diff, SafeText } from "../text/index.ts";
import type { OutputPiece, ToolEntry } from "./entry.ts";
import { Folded } from "./folded.tsx";
import { patchOf } from "./patch.ts";
import { StoredTextView } from "./stored-text.tsx";
import { spanText } from "./time-text.ts";

/** What is shorter is shown at once. */
const UNFOLDED_LINES_MAX = 12;

interface ToolCardProps {
  readonly tool: ToolEntry;
  /** What it prints right now. */
  readonly streamed: string;
}

export function ToolCard({ tool, streamed }: ToolCardProps) {
  const isRunning = tool.outcome === null;
  const isOpen = isRunning
    ? streamed !== "" || tool.output.length > 0
    : linesOf(tool) <= UNFOLDED_LINES_MAX || tool.outcome === "failed";
  const summary = (
    <>
      <ToolMark outcome={tool.outcome} />
      <span class="talk-tool-title mono">
        <SafeText text={tool.title} oneLine strict />
      </span>
      <ToolFigures tool={tool} />
    </>
  );
  return (
    <Folded class="talk-tool" isOpen={isOpen} summary={summary}>
      {() => (
        <div class="talk-tool-body">
          {tool.input !== null && !isSaid(tool, tool.input.text) && <ToolInput tool={tool} text={tool.input} />}
          {tool.command?.includes("\n") === true && <Code text={tool.command} language="bash" strict />}
          {tool.diffs.map((diff, at) => (
            <ToolDiff key={at} diff={diff} />
          ))}
          <ToolOutput tool={tool} streamed={streamed} />
          {tool.images.map(({ mediaType, bytes }, at) => (
            <p key={at} class="muted">
              The model was given a picture: {mediaType}, {bytesText(bytes)}
            </p>
          ))}
          {tool.message !== null && (
            <p class="talk-bad">
              <SafeText text={tool.message} />
            </p>
          )}
        </div>
      )}
    </Folded>
  );
}

/** Shape and word, not only colour. */
function ToolMark({ outcome }: { readonly outcome: string | null }) {
  const [sign, word] =
    outcome === null
      ? ["◌", "runs"]
      : outcome === "done"
        ? ["●", "done"]
        : outcome === "unknown"
          ? ["?", outcome]
          : ["✗", outcome];
  return (
    <span class={`talk-mark talk-mark-${outcome ?? "running"}`} title={word}>
      <span aria-hidden="true">{sign}</span>
      <span class="hidden-text">{word}</span>
    </span>
  );
}

function ToolFigures({ tool: { exitCode, outcome, at, endedAt, diffs } }: { readonly tool: ToolEntry }) {
  const isBad = outcome !== null && outcome !== "done";
  return (
    <span class="talk-figures">
      {diffs.length > 0 && <span>{diffs.length === 1 ? "1 file" : `${diffs.length} files`}</span>}
      {isBad && <Badge kind="bad">{outcome}</Badge>}
      {exitCode !== null && exitCode !== 0 && <Badge kind="bad">exit {exitCode}</Badge>}
      {endedAt !== null && <span>{spanText(Date.parse(endedAt) - Date.parse(at))}</span>}
    </span>
  );
}

function ToolInput({ tool, text }: { readonly tool: ToolEntry; readonly text: NonNullable<ToolEntry["input"]> }) {
  const path = tool.places[0]?.path ?? (tool.tool === "write" ? tool.title.replace(/^write\s+/, "") : undefined);
  return (
    <StoredTextView body={text}>
      {(whole) => {
        const laidOut = tool.tool === "write" ? null : laidOutJson(whole);
        if (laidOut !== null) return <Code text={laidOut} language="json" strict />;
        return <Code text={whole} {...(path === undefined ? {} : { path })} strict />;
      }}
    </StoredTextView>
  );
}

/** The title says it all, such as a command, or the diff below; of a question there is a card. */
function isSaid({ tool, title, diffs }: ToolEntry, input: string): boolean {
  if (tool === "ask" || diffs.length > 0) return true;
  const given = parsedJson(input);
  if (typeof given !== "object" || given === null) return false;
  return Object.values(given).every((value) => typeof value === "string" && value !== "" && title.includes(value));
}

const LAID_OUT_CHARS_MAX = 100_000;

/** Agents give their tools one long line. Null: it is no such line. */
function laidOutJson(text: string): string | null {
  if (text.includes("\n")) return null;
  const given = parsedJson(text);
  return given === undefined ? null : JSON.stringify(given, null, 2);
}

/** Undefined: it is no object in JSON. */
function parsedJson(text: string): unknown {
  if (!text.startsWith("{") || text.length > LAID_OUT_CHARS_MAX) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function ToolDiff({ diff: { path, before, after } }: { readonly diff: ToolEntry["diffs"][number] }) {
  if (after.blob !== null || (before !== null && before.blob !== null))
    return (
      <p class="muted">
        <SafeText text={path} oneLine strict /> is a large change; see the files of the turn.
      </p>
    );
  return <Diff patch={patchOf(path, before?.text ?? null, after.text)} />;
}

function ToolOutput({ tool: { output, droppedPieces, outcome }, streamed }: ToolCardProps) {
  if (output.length === 0 && streamed === "") return null;
  if (outcome === null) return <RunningOutput output={output} streamed={streamed} />;
  return (
    <div class="talk-output">
      {droppedPieces > 0 && <p class="muted">{droppedPieces} pieces are not shown; the events have them.</p>}
      {joined(output).map((piece, at) => (
        <div key={at} class={piece.stream === "stderr" ? "talk-stderr" : ""}>
          <StoredTextView body={piece.body}>{(text) => <Ansi text={text} />}</StoredTextView>
        </div>
      ))}
    </div>
  );
}

const RUNNING_CHARS_SHOWN = 8_000;

/** The end of what it has printed so far, kept in sight. */
function RunningOutput({ output, streamed }: { readonly output: readonly OutputPiece[]; readonly streamed: string }) {
  const box = useRef<HTMLDivElement>(null);
  const printed = output.slice(-PIECES_LOOKED_AT).reduce((text, { body }) => text + body.text, "") + streamed;
  const shown = printed.slice(-RUNNING_CHARS_SHOWN);
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [shown]);
  return (
    <div class="talk-output" ref={box}>
      <Ansi text={shown} />
    </div>
  );
}

const PIECES_LOOKED_AT = 4;

/** Neighbouring pieces of one stream are one text: a colour may go on from one to the next. */
function joined(pieces: readonly OutputPiece[]): readonly OutputPiece[] {
  const found: OutputPiece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (last === undefined || last.stream !== piece.stream || last.body.blob !== null || piece.body.blob !== null)
      found.push(piece);
    else
      found[found.length - 1] = {
        ...last,
        body: { text: last.body.text + piece.body.text, blob: null, bytes: last.body.bytes + piece.body.bytes },
      };
  }
  return found;
}

function linesOf({ input, output, diffs }: ToolEntry): number {
  const texts = [
    input?.text ?? "",
    ...output.map(({ body }) => body.text),
    ...diffs.map(({ before, after }) => (before?.text ?? "") + after.text),
  ];
  return texts.reduce((total, text) => total + text.split("\n", UNFOLDED_LINES_MAX + 2).length, 0);
}
