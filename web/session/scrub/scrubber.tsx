import { useEffect, useMemo, useRef } from "preact/hooks";
import type { LogEvent, Session } from "../../../src/client/index.ts";
import { useCall, useKeys } from "../../frame/index.ts";
import { useSessions } from "../../live/index.ts";
import { Button } from "../../parts/index.ts";
import { clockText } from "../../talk/index.ts";
import { safeString } from "../../text/index.ts";
import type { LiveTalk, TalkState } from "../live-talk.ts";
import { type Mark, markIn } from "./marks.ts";
import { useRewind } from "./rewind.tsx";

interface ScrubberProps {
  readonly session: Session;
  readonly state: TalkState;
  readonly talk: LiveTalk | null;
  readonly asOf: number | null;
  readonly onAsOf: (version: number | null) => void;
}

const JUMP_AFTER_MS = 120;
const MARKS_DRAWN_MAX = 400;

/** A slider over the session's events. The talk above shows the state as of the chosen one. */
export function Scrubber({ session, state, talk, asOf, onAsOf }: ScrubberProps) {
  const own = useMemo(() => state.marked.flatMap((event) => markIn(event) ?? []), [state.marked]);
  const marks = [...own, ...useForkMarks(session.id)];
  const { newest } = state;
  const at = asOf ?? newest;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const go = (to: number): void => {
    const version = Math.max(1, Math.min(newest, to));
    clearTimeout(timer.current);
    if (version >= newest) {
      onAsOf(null);
      if (state.window.hasNewer) talk?.toEnd();
      return;
    }
    onAsOf(version);
    timer.current = setTimeout(() => talk?.jump(version, marks), JUMP_AFTER_MS);
  };
  const chosen = state.window.events.find((event) => event.stream === `session/${session.id}` && event.version === at);
  const near = marks.toSorted((one, other) => one.version - other.version);
  useKeys({
    "[": { does: "Back to the mark before", run: () => go(near.findLast((mark) => mark.version < at)?.version ?? 1) },
    "]": { does: "On to the next mark", run: () => go(near.find((mark) => mark.version > at)?.version ?? newest) },
  });
  if (newest < 2) return null;
  return (
    <div class="session-timeline">
      <div class="session-slider">
        <Marks marks={marks} newest={newest} />
        <input
          type="range"
          aria-label="Timeline"
          aria-valuetext={spoken(at, newest, chosen)}
          min={1}
          max={newest}
          value={at}
          onInput={({ currentTarget }) => go(Number(currentTarget.value))}
        />
      </div>
      {asOf !== null && (
        <AsOf
          session={session}
          at={at}
          newest={newest}
          chosen={chosen}
          onNow={() => go(newest)}
          onStep={(by) => go(at + by)}
        />
      )}
    </div>
  );
}

interface AsOfProps {
  readonly session: Session;
  readonly at: number;
  readonly newest: number;
  readonly chosen: LogEvent | undefined;
  readonly onNow: () => void;
  readonly onStep: (by: 1 | -1) => void;
}

function AsOf({ session, at, newest, chosen, onNow, onStep }: AsOfProps) {
  const { rewind, fork, isRunning } = useRewind(session, onNow);
  const isReady = chosen !== undefined && !isRunning;
  return (
    <div class="session-as-of">
      <p role="status">
        <strong>As of event {at}</strong> <span class="muted">{ofAll(newest, chosen)}</span>
      </p>
      <Button onClick={() => onStep(-1)}>Step back</Button>
      <Button onClick={() => onStep(1)}>Step on</Button>
      {session.endedAt === undefined && (
        <Button icon="back" disabled={!isReady} onClick={() => chosen !== undefined && rewind(chosen)}>
          Rewind to here
        </Button>
      )}
      <Button icon="fork" disabled={!isReady} onClick={() => chosen !== undefined && fork(chosen)}>
        Fork from here
      </Button>
      <Button kind="primary" onClick={onNow}>
        Back to now
      </Button>
    </div>
  );
}

function spoken(at: number, newest: number, chosen: LogEvent | undefined): string {
  return `event ${at} ${ofAll(newest, chosen)}`;
}

function ofAll(newest: number, chosen: LogEvent | undefined): string {
  const what = chosen === undefined ? "" : `, ${chosen.type.replace(/@\d+$/, "")}, ${clockText(chosen.at)}`;
  return `of ${newest}${what}`;
}

const SIGNS: { readonly [kind in Mark["kind"]]: string } = {
  turn: "M4 1v14",
  question: "M4 2l3.500 6H.5z",
  error: "M1 5l6 6M7 5l-6 6",
  rewind: "M7 3L1 8l6 5z",
  fork: "M4 15V9L1 4M4 9l3-5",
};

/** The shape tells what a mark is; the slider's own text says it to those who do not see it. */
function Marks({ marks, newest }: { readonly marks: readonly Mark[]; readonly newest: number }) {
  return (
    <div class="session-marks" aria-hidden="true">
      {marks.slice(-MARKS_DRAWN_MAX).map(({ version, kind, text, seq }) => (
        <svg
          key={`${kind} ${seq}`}
          class={`session-mark session-mark-${kind}`}
          viewBox="0 0 8 16"
          style={{ left: `${(100 * (version - 1)) / Math.max(1, newest - 1)}%` }}
        >
          <title>{safeString(text)}</title>
          <path d={SIGNS[kind]} />
        </svg>
      ))}
    </div>
  );
}

/** Forks of this session, where they left it. Only the newest few: each is a read. */
function useForkMarks(id: string): readonly Mark[] {
  const fork = useSessions().findLast(({ forkedFrom }) => forkedFrom?.sessionId === id);
  const eventId = fork?.forkedFrom?.eventId;
  const { value } = useCall("event.show", { eventId: eventId ?? "" }, { when: eventId !== undefined });
  if (value === undefined || fork === undefined || value.stream !== `session/${id}`) return [];
  const { version, seq } = value;
  return [{ version, seq, kind: "fork", text: `Fork: ${fork.title ?? fork.name}` }];
}
