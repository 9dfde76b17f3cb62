import type { ComponentChildren } from "preact";
import { Markdown } from "../text/index.ts";
import type { Entry } from "./entry.ts";
import { EntryView } from "./entry-view.tsx";
import { Folded } from "./folded.tsx";
import { NOTHING_STREAMED, type Streamed } from "./streamed.ts";
import "./talk.css";

interface TalkViewProps {
  readonly entries: readonly Entry[];
  /** Whether a rewind left the entry behind. */
  readonly isBehind: (entry: Entry) => boolean;
  readonly label: string;
  readonly streamed?: Streamed;
  /** By turn: from its start to its first text. */
  readonly firstMs?: ReadonlyMap<string, number>;
}

/** A talk, entry by entry. Turns that a rewind left behind are folded. */
export function TalkView({ entries, isBehind, label, streamed = NOTHING_STREAMED, firstMs }: TalkViewProps) {
  const running = entries.findLast((entry) => entry.kind === "tool" && entry.outcome === null);
  const row = (entry: Entry): ComponentChildren => (
    <li key={entry.key} class={`talk-entry talk-entry-${entry.kind}`} data-entry={entry.seq} tabIndex={-1}>
      <EntryView
        entry={entry}
        streamed={entry === running ? streamed.output : ""}
        firstMs={entry.kind === "turn-end" ? firstMs?.get(entry.turnId ?? "") : undefined}
      />
    </li>
  );
  return (
    <ol class="talk" aria-label={label}>
      {groupsOf(entries, isBehind).map(({ key, isFolded, entries: own }) =>
        isFolded ? <Behind key={key} entries={own} row={row} /> : own.map(row),
      )}
      {streamed.message !== "" && (
        <li key="streamed" class="talk-entry talk-streaming" aria-busy="true">
          <div class="talk-message">
            <Markdown text={streamed.message} />
          </div>
        </li>
      )}
    </ol>
  );
}

interface BehindProps {
  readonly entries: readonly Entry[];
  readonly row: (entry: Entry) => ComponentChildren;
}

function Behind({ entries, row }: BehindProps) {
  const turns = entries.filter(({ kind }) => kind === "prompt").length;
  const summary = (
    <>
      <span aria-hidden="true">↶</span> {turns === 1 ? "1 turn" : `${turns} turns`} rewound: no longer part of the
      conversation
    </>
  );
  return (
    <li class="talk-entry" data-entry={entries[0]?.seq} tabIndex={-1}>
      <Folded class="talk-behind" summary={summary}>
        {() => <ol>{entries.map(row)}</ol>}
      </Folded>
    </li>
  );
}

interface Group {
  readonly key: string;
  readonly isFolded: boolean;
  readonly entries: readonly Entry[];
}

function groupsOf(entries: readonly Entry[], isBehind: (entry: Entry) => boolean): readonly Group[] {
  const groups: (Omit<Group, "entries"> & { readonly entries: Entry[] })[] = [];
  for (const entry of entries) {
    const isFolded = isBehind(entry);
    const last = groups.at(-1);
    if (last?.isFolded === isFolded) last.entries.push(entry);
    else groups.push({ key: `group:${entry.key}`, isFolded, entries: [entry] });
  }
  return groups;
}
