import { useEffect, useMemo, useRef } from "preact/hooks";
import { ErrorCard, useKeys } from "../frame/index.ts";
import { Button, Empty } from "../parts/index.ts";
import { type Entry, foldEvents, NOTHING_STREAMED, pathOf, TalkView } from "../talk/index.ts";
import type { LiveTalk, TalkState } from "./live-talk.ts";
import { useScroll } from "./use-scroll.ts";

interface TalkTabProps {
  readonly id: string;
  readonly state: TalkState;
  readonly talk: LiveTalk | null;
  /** The version up to which the talk is shown; null: all of it. */
  readonly asOf: number | null;
}

export function TalkTab({ id, state, talk, asOf }: TalkTabProps) {
  const list = useRef<HTMLDivElement>(null);
  const { window, error, isLoading } = state;
  const entries = useEntries(id, state, asOf);
  const { isAtEnd, toEnd } = useScroll({
    list,
    shown: state,
    onNearTop: () => window.hasOlder && talk?.older(),
    onNearEnd: () => asOf === null && window.hasNewer && talk?.newer(),
    onLook: (atEnd) => talk?.look(atEnd && asOf === null),
  });
  useEffect(() => {
    if (asOf !== null) toEnd();
  }, [asOf, window.events]);
  useEntryKeys(list);
  const isBehind = useBehind(id, state, asOf);
  const { firstMs } = state;
  const streamed = asOf === null && !window.hasNewer ? state.streamed : NOTHING_STREAMED;
  // Reading a page changes nothing that is drawn until it is there.
  const drawn = useMemo(
    () => <TalkView {...{ entries, isBehind, streamed, firstMs }} label="Transcript" />,
    [entries, isBehind, streamed, firstMs],
  );
  const backToEnd = (): void => {
    if (window.hasNewer) talk?.toEnd();
    toEnd();
  };
  return (
    <div class="session-talk" ref={list}>
      {error !== null && <ErrorCard error={error} again={() => talk?.ask()} />}
      <p class="session-older muted" aria-live="polite">
        {window.hasOlder
          ? isLoading
            ? "Reading earlier entries …"
            : "Earlier entries follow when you scroll up."
          : ""}
      </p>
      {entries.length === 0 && !isLoading && (
        <Empty title="Nothing was said yet">Write a prompt below; Enter sends it.</Empty>
      )}
      {drawn}
      {asOf === null && (!isAtEnd || window.hasNewer) && (
        <div class="session-to-end">
          <Button icon="down" onClick={backToEnd}>
            To the end
          </Button>
        </div>
      )}
    </div>
  );
}

function useEntries(id: string, { window, entries }: TalkState, asOf: number | null): readonly Entry[] {
  return useMemo(() => {
    if (asOf === null) return entries;
    const own = `session/${id}`;
    return foldEvents(window.events.filter(({ stream, version }) => stream !== own || version <= asOf));
  }, [id, window, entries, asOf]);
}

function useBehind(id: string, { marked, newest }: TalkState, asOf: number | null): (entry: Entry) => boolean {
  const rewinds = useMemo(() => marked.filter(({ type }) => type === "session.rewound@1"), [marked]);
  const upTo = rewinds.length === 0 ? 0 : (asOf ?? newest);
  return useMemo(() => {
    const stream = `session/${id}`;
    const isOnPath = pathOf(stream, rewinds, upTo);
    return (entry) => entry.stream === stream && !isOnPath(entry.version);
  }, [id, rewinds.at(-1), rewinds.length, upTo]);
}

/** `j` and `k` move the focus, so that a screen reader follows. */
function useEntryKeys(list: { readonly current: HTMLElement | null }): void {
  const step = (by: 1 | -1): void => {
    const entries = [...(list.current?.querySelectorAll<HTMLElement>("[data-entry]") ?? [])].filter(
      (entry) => entry.offsetParent !== null,
    );
    const current = entries.findIndex((entry) => entry.contains(document.activeElement));
    const inSight = entries.findIndex((entry) => entry.getBoundingClientRect().bottom > 120);
    const next = entries[current === -1 ? Math.max(0, inSight) : current + by];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  };
  useKeys({
    j: { does: "Next entry", run: () => step(1) },
    k: { does: "Previous entry", run: () => step(-1) },
    o: {
      does: "Open or fold the entry",
      run: () => document.activeElement?.closest("[data-entry]")?.querySelector("summary")?.click(),
    },
  });
}
