import { useMemo, useState } from "preact/hooks";
import { catalogued, ERRORS } from "../../src/client/index.ts";
import { Link } from "../frame/index.ts";
import { Badge, Button, bytesText, countText } from "../parts/index.ts";
import { Code, Markdown, SafeText } from "../text/index.ts";
import { Actor } from "./actor.tsx";
import type { Entry, MessageEntry, NoteEntry, OtherEntry, PromptEntry, TodoEntry, TurnEndEntry } from "./entry.ts";
import { Folded } from "./folded.tsx";
import { QuestionCard } from "./question-card.tsx";
import { CompactionView, SteerView, StepsView } from "./step-views.tsx";
import { StoredTextView } from "./stored-text.tsx";
import { clockText, spanText } from "./time-text.ts";
import { ToolCard } from "./tool-card.tsx";

interface EntryViewProps {
  readonly entry: Entry;
  /** What the tool call prints right now. */
  readonly streamed?: string;
  /** From the start of a turn to its first text, where that was seen. */
  readonly firstMs?: number | undefined;
}

/** Drawn again only when the entry is another one. */
export function EntryView({ entry, streamed = "", firstMs }: EntryViewProps) {
  return useMemo(() => drawn(entry, streamed, firstMs), [entry, streamed, firstMs]);
}

function drawn(entry: Entry, streamed: string, firstMs: number | undefined) {
  switch (entry.kind) {
    case "prompt":
      return <PromptView prompt={entry} />;
    case "message":
      return <MessageView message={entry} />;
    case "tool":
      return <ToolCard tool={entry} streamed={streamed} />;
    case "question":
      return <QuestionCard asked={entry} />;
    case "turn-end":
      return <TurnEndView end={entry} firstMs={firstMs} />;
    case "todo":
      return <TodoView items={entry.items} />;
    case "note":
      return <NoteView note={entry} />;
    case "steer":
      return <SteerView steer={entry} />;
    case "compaction":
      return <CompactionView compaction={entry} />;
    case "other":
      return <OtherView other={entry} />;
  }
}

const PROMPT_CHARS_SHOWN = 1_600;
const PROMPT_LINES_SHOWN = 14;

function PromptView({ prompt: { body, standing, attachments, at, actor } }: { readonly prompt: PromptEntry }) {
  return (
    <div class="talk-prompt">
      <p class="talk-by">
        <strong>Prompt</strong>
        <span class="muted">
          <Actor name={actor} /> · <time dateTime={at}>{clockText(at)}</time>
        </span>
        {standing === "queued" && <Badge kind="warn">queued</Badge>}
      </p>
      <StoredTextView body={body}>{(text) => <LongText text={text} />}</StoredTextView>
      {attachments.length > 0 && (
        <ul class="talk-attachments">
          {attachments.map(({ name, bytes, mediaType }, index) => (
            <li key={index}>
              <SafeText text={name} oneLine /> <span class="muted">{`${mediaType} · ${bytesText(bytes)}`}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function LongText({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  const lines = text.split("\n", PROMPT_LINES_SHOWN + 1);
  const isLong = text.length > PROMPT_CHARS_SHOWN || lines.length > PROMPT_LINES_SHOWN;
  const shown = isLong && !isOpen ? lines.slice(0, PROMPT_LINES_SHOWN).join("\n").slice(0, PROMPT_CHARS_SHOWN) : text;
  return (
    <div class="talk-text">
      <SafeText text={shown} />
      {isLong && (
        <Button kind="quiet" onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : "Show all"}
        </Button>
      )}
    </div>
  );
}

function MessageView({ message: { body, isThought } }: { readonly message: MessageEntry }) {
  const text = () => <StoredTextView body={body}>{(whole) => <Markdown text={whole} />}</StoredTextView>;
  if (!isThought) return <div class="talk-message">{text()}</div>;
  const summary = (
    <>
      Thought <SafeText text={body.text.trim().split("\n", 1)[0]?.slice(0, 120) ?? ""} oneLine />
    </>
  );
  return (
    <Folded class="talk-thought" summary={summary}>
      {text}
    </Folded>
  );
}

/** A sooner one was not waited for. */
const FIRST_TEXT_SHOWN_MS = 100;

function TurnEndView({ end, firstMs }: { readonly end: TurnEndEntry; readonly firstMs: number | undefined }) {
  const { outcome, error, startedAt, at, tools, tokens, cost, steps } = end;
  const isDone = outcome === "completed";
  const figures = [
    startedAt === null ? "" : spanText(Date.parse(at) - Date.parse(startedAt)),
    tools === 0 ? "" : `${tools} tool call${tools === 1 ? "" : "s"}`,
    firstMs === undefined || firstMs < FIRST_TEXT_SHOWN_MS ? "" : `first text after ${spanText(firstMs)}`,
    tokens === null ? "" : `${countText(tokens)} tokens`,
    cost ?? "",
  ].filter((part) => part !== "");
  return (
    <div class={`talk-end ${isDone ? "" : "talk-end-bad"}`}>
      <p>
        <span aria-hidden="true">{isDone ? "✓" : "✗"}</span> {outcome}
        <span class="muted"> {figures.map((part) => `· ${part} `)}</span>
      </p>
      {steps.length > 0 && <StepsView steps={steps} />}
      {error !== null && <ErrorText message={error.message} code={error.code} />}
    </div>
  );
}

function ErrorText({ message, code }: { readonly message: string; readonly code: string }) {
  return (
    <div class="talk-error">
      <p>
        <SafeText text={message} />
      </p>
      {Object.hasOwn(ERRORS, code) && <p class="muted">{catalogued(code).remedy}</p>}
      <p class="muted">
        <code>{code}</code>
      </p>
    </div>
  );
}

const TODO_SIGNS: { readonly [status: string]: string } = { open: "☐", active: "◐", done: "☑" };

export function TodoView({ items }: Pick<TodoEntry, "items">) {
  return (
    <ul class="talk-todo" aria-label="Plan">
      {items.map(({ text, status }, at) => (
        <li key={at} class={`talk-todo-${status}`}>
          <span aria-hidden="true">{TODO_SIGNS[status] ?? "☐"}</span>
          <span class="hidden-text">{status}</span> <SafeText text={text} oneLine />
        </li>
      ))}
    </ul>
  );
}

function NoteView({ note: { text, tone, more, names, session, code } }: { readonly note: NoteEntry }) {
  if (code !== null) return <ErrorText message={text} code={code} />;
  return (
    <div class={`talk-note talk-note-${tone}`}>
      <p>
        <SafeText text={text} />{" "}
        {session !== null && <Link to={`/ui/session/${encodeURIComponent(session.id)}`}>session …{session.name}</Link>}
      </p>
      {more !== null && more.text !== "" && (
        <Folded class="" summary="More">
          {() => <StoredTextView body={more}>{(whole) => <Markdown text={whole} />}</StoredTextView>}
        </Folded>
      )}
      {names.length > 0 && (
        <ul class="talk-names">
          {names.map(({ name, why }) => (
            <li key={name}>
              <SafeText text={name} oneLine strict /> <span class="muted">{why}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function OtherView({ other: { type, data } }: { readonly other: OtherEntry }) {
  return (
    <Folded class="talk-other" summary={<SafeText text={type} oneLine />}>
      {() => <Code text={JSON.stringify(data, null, 2)} language="json" />}
    </Folded>
  );
}
