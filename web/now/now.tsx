import { useCallback, useMemo, useState } from "preact/hooks";
import { keep, kept, navigate, type PageProps, useKeys, usePaletteEntries } from "../frame/index.ts";
import { useConnection, useQuestions, useSessions } from "../live/index.ts";
import { Button, Empty, Rows, Select, type Standing } from "../parts/index.ts";
import { BoardRow } from "./board-row.tsx";
import { countsOf, type GroupBy, type Line, linesOf } from "./board-rows.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { MachineStrip } from "./machine-strip.tsx";
import { OpenQuestions } from "./open-questions.tsx";
import { Tour } from "./tour.tsx";
import "./now.css";

const GROUPS = [
  ["standing", "by state"],
  ["workspace", "by workspace"],
  ["agent", "by agent"],
  ["folder", "by folder"],
] as const;
const ALIVE: readonly Standing[] = ["needs you", "working", "waiting", "idle", "asleep"];
const ROW_HEIGHT = 60;

export function View(_props: PageProps) {
  const sessions = useSessions();
  const questions = useQuestions();
  const connection = useConnection();
  const [filter, setFilter] = useState("");
  const [by, setBy] = useState<GroupBy>(GROUPS.find(([name]) => name === kept("groupBy"))?.[0] ?? "standing");
  const [only, setOnly] = useState<Standing | null>(null);
  const [cursor, setCursor] = useState(0);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const counts = useMemo(() => countsOf(sessions), [sessions]);
  const lines = useMemo(
    () => linesOf(sessions, { filter, standings: new Set(only === null ? ALIVE : [only]), by }),
    [sessions, filter, only, by],
  );
  const ids = useMemo(() => lines.flatMap((line) => (line.is === "session" ? line.id : [])), [lines]);
  const at = Math.min(cursor, Math.max(0, ids.length - 1));
  const current = ids[at];
  const toggle = useCallback((id: string): void => {
    setPicked((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  useBoardKeys({ ids, at, current, setCursor, toggle });
  const isEmpty = sessions.length === 0 && connection !== "connecting";
  return (
    <div class="page now">
      <header class="page-head">
        <h1>Now</h1>
        <StandingFilter counts={counts} only={only} onChoose={setOnly} />
        <div class="now-tools">
          <input
            type="search"
            data-search
            aria-label="Filter the sessions"
            placeholder="Filter (/)"
            value={filter}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
          <Select
            label="Group"
            value={by}
            options={GROUPS}
            onChange={(value) => {
              const group = GROUPS.find(([name]) => name === value)?.[0] ?? "standing";
              keep("groupBy", group);
              setBy(group);
            }}
          />
          <Button kind="primary" icon="start" keyName="n" onClick={() => navigate("/ui/start")}>
            New
          </Button>
        </div>
      </header>
      <Tour />
      <div class={questions.length > 0 ? "now-columns" : ""}>
        <OpenQuestions questions={questions} />
        <section aria-label="Sessions" class="now-board">
          <BulkBar picked={picked} onDone={() => setPicked(new Set())} />
          {isEmpty ? <NoSessions /> : <Board lines={lines} current={current} picked={picked} onPick={toggle} />}
          {!isEmpty && ids.length === 0 && (
            <Empty title="No session matches">Clear the filter to see all of them.</Empty>
          )}
        </section>
      </div>
      <MachineStrip sessions={sessions} />
    </div>
  );
}

interface BoardKeys {
  readonly ids: readonly string[];
  readonly at: number;
  readonly current: string | undefined;
  readonly setCursor: (at: number) => void;
  readonly toggle: (id: string) => void;
}

function useBoardKeys({ ids, at, current, setCursor, toggle }: BoardKeys): void {
  useKeys({
    j: { does: "Next session", run: () => setCursor(Math.min(ids.length - 1, at + 1)) },
    k: { does: "Previous session", run: () => setCursor(Math.max(0, at - 1)) },
    Enter: { does: "Open the session", run: () => current !== undefined && navigate(`/ui/session/${current}`) },
    s: { does: "Select the session", run: () => current !== undefined && toggle(current) },
    n: { does: "New session", run: () => navigate("/ui/start") },
  });
  usePaletteEntries([{ name: "Start a session", hint: "n", run: () => navigate("/ui/start") }]);
}

interface BoardProps {
  readonly lines: readonly Line[];
  readonly current: string | undefined;
  readonly picked: ReadonlySet<string>;
  readonly onPick: (id: string) => void;
}

function Board({ lines, current, picked, onPick }: BoardProps) {
  const cursor = lines.findIndex((line) => line.is === "session" && line.id === current);
  return (
    <Rows
      label="Sessions"
      count={lines.length}
      rowHeight={ROW_HEIGHT}
      {...(cursor < 0 ? {} : { cursor })}
      keyOf={(index) => {
        const line = lines[index];
        return line === undefined ? index : line.is === "heading" ? `heading ${line.name}` : line.id;
      }}
      render={(index) => {
        const line = lines[index];
        if (line === undefined) return null;
        if (line.is === "session")
          return (
            <BoardRow id={line.id} isCurrent={line.id === current} isPicked={picked.has(line.id)} onPick={onPick} />
          );
        return (
          <h2 class="now-heading">
            <bdi>{line.name}</bdi> <span class="muted">{line.count}</span>
          </h2>
        );
      }}
    />
  );
}

interface StandingFilterProps {
  readonly counts: ReadonlyMap<Standing, number>;
  readonly only: Standing | null;
  readonly onChoose: (standing: Standing | null) => void;
}

function StandingFilter({ counts, only, onChoose }: StandingFilterProps) {
  return (
    <fieldset class="now-standings" aria-label="Show only">
      {[...counts].filter(isShown).map(([standing, count]) => (
        <button
          key={standing}
          type="button"
          class={`now-standing now-standing-${standing.replace(" ", "-")}`}
          aria-pressed={only === standing}
          onClick={() => onChoose(only === standing ? null : standing)}
        >
          <strong>{count}</strong> {standing}
        </button>
      ))}
    </fieldset>
  );
}

/** Few ever meet a usage limit. */
function isShown([standing, count]: readonly [Standing, number]): boolean {
  return standing !== "waiting" || count > 0;
}

function NoSessions() {
  return (
    <Empty title="Nothing runs yet" command="nomos run 'say hello'">
      A session is an agent at work. Start one here with <kbd>n</kbd>, or in a terminal:
    </Empty>
  );
}
