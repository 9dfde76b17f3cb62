import { LANDINGS, type LandingRow, LandingStream } from "../../domains/index.ts";
import { isUuid, SESSIONS, Session, type SessionRow, type SessionState, streamOf } from "../../kernel/index.ts";
import type { EventPage, RecordedEvent, Store } from "../../store/index.ts";
import { saysOf } from "./says.ts";

/** Why a session or a landing is where it is: the events that led there, and what to do next. */
export interface WhyService {
  readonly session: (id: string) => Promise<Why>;
  readonly landing: (id: string) => Promise<Why>;
}

export interface Why {
  readonly state: string;
  /** Oldest first, at most `BECAUSE_MAX`. */
  readonly because: readonly Because[];
  /** The command to run next; null when nothing is left to do. */
  readonly next: string | null;
}

export interface Because {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly says: string;
}

const BECAUSE_MAX = 20;

const BIRTH = ["session.opened", "session.forked"];
const LIFE = [
  ...["session.suspended", "session.resumed", "session.hibernated", "session.exited", "session.killed"],
  ...["session.failed", "session.rewound", "session.archived"],
  ...["session.forgotten", "driver.switched", "worktree.kept"],
];
const ASKED = ["turn.admitted", "turn.started"];
const TURN = [
  ...["turn.interrupt_requested", "turn.resumed", "turn.ended", "scope.reverted", "snapshot.skipped"],
  ...["approval.requested", "approval.answered", "approval.closed", "quota.reached", "quota.reset", "driver.noticed"],
];
/** Read apart: a turn has many, and most of them say nothing. */
const EFFECTS = ["effect.settled"];
/** Each read is of one page, whatever the length of the history. */
const TURN_READ = 20;
const EFFECTS_READ = 60;
const LIFE_READ = 6;
const LANDING_READ = 12;
const CAUSES_MAX = 5;

export function createWhy(store: Pick<Store, "event" | "fold" | "readStream" | "row" | "rows">): WhyService {
  const last = async (stream: string, limit: number, types?: readonly string[], turnId?: string) => {
    const page: EventPage = await store.readStream(stream, {
      ...{ limit, descending: true },
      ...(types === undefined ? {} : { types }),
      ...(turnId === undefined ? {} : { turnId }),
    });
    return page.events;
  };
  const landingEvents = (row: LandingRow | null): Promise<readonly RecordedEvent[]> =>
    row === null ? Promise.resolve([]) : last(streamOf(LandingStream, row.id), LANDING_READ);

  /** What is known of a turn, without its many tool calls that went well. */
  const turnEvents = async (stream: string, turnId: string | undefined): Promise<readonly RecordedEvent[]> => {
    if (turnId === undefined) return [];
    const parts = [last(stream, ASKED.length, ASKED, turnId), last(stream, TURN_READ, TURN, turnId)];
    return (await Promise.all([...parts, last(stream, EFFECTS_READ, EFFECTS, turnId)])).flat();
  };

  /** The events that caused these, such as a turn that told an agent of a refused landing. */
  const causesOf = async (events: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> => {
    const found: RecordedEvent[] = [];
    const asked = new Set(events.map(({ id }) => id));
    for (const { cause } of events) {
      for (let next = cause; next !== null && isUuid(next) && !asked.has(next) && found.length < CAUSES_MAX; ) {
        asked.add(next);
        const event: RecordedEvent | null = await store.event(next);
        if (event === null) break;
        found.push(event);
        next = event.cause;
      }
    }
    return found;
  };

  return {
    session: async (id) => {
      const [row, state] = [await store.row(SESSIONS, id), await store.fold(Session, id)];
      const [landing = null] = await store.rows(LANDINGS, { where: { session: id }, limit: 1 });
      const turnId = state.phase.at === "busy" ? state.phase.turnId : state.recentTurns.at(-1)?.turnId;
      const queued = state.queue.slice(0, 3).map(({ eventId }) => store.event(eventId));
      const own = [
        ...(await store.readStream(state.stream, { limit: 1, types: BIRTH })).events,
        ...(await last(state.stream, LIFE_READ, LIFE)),
        ...(await turnEvents(state.stream, turnId)),
        ...(await Promise.all(queued)).flatMap((event) => event ?? []),
      ];
      const events = [...own, ...(await landingEvents(landing))];
      const because = chosen([...events, ...(await causesOf(own))]);
      return { state: stateOf(state, row), because, next: row === null ? null : nextOf(state, row, landing) };
    },
    landing: async (id) => {
      const row = await store.row(LANDINGS, id);
      const events = await landingEvents(row);
      return { state: row?.at ?? "absent", because: chosen(events), next: nextOfLanding(row) };
    },
  };
}

/** The newest ones that say something. The session's beginning and its last prompt are always among them. */
function chosen(events: readonly RecordedEvent[]): readonly Because[] {
  const told = [...new Map(events.map((event) => [event.id, event])).values()]
    .toSorted((a, b) => a.seq - b.seq)
    .flatMap((event) => {
      const says = saysOf(event);
      const { seq, id, type, at } = event;
      return says === null ? [] : [{ seq, id, type, at, says }];
    });
  const birth = told.find(({ type }) => /^session\.(opened|forked)@/.test(type));
  const prompt = told.findLast(({ type }) => type.startsWith("turn.admitted@"));
  const kept = new Set([birth, prompt].filter((one) => one !== undefined));
  const left = told.filter((one) => !kept.has(one));
  for (const one of left.slice(Math.max(0, left.length - BECAUSE_MAX + kept.size))) kept.add(one);
  return told.filter((one) => kept.has(one));
}

function stateOf({ phase, queue }: SessionState, row: SessionRow | null): string {
  if (row?.waitingFor === "approval") return "waiting for an answer";
  if (row?.waitingFor === "quota") return "waiting for a usage limit";
  if (phase.at === "idle" && queue.length > 0) return "queued";
  return phase.at === "busy" ? "working" : phase.at;
}

function nextOf(state: SessionState, { name, waitingFor }: SessionRow, landing: LandingRow | null): string | null {
  const { phase, recentTurns } = state;
  if (waitingFor === "approval") return `nomos approve ${name}`;
  if (waitingFor === "quota") return `nomos interrupt ${name}`;
  switch (phase.at) {
    case "suspended":
      return `nomos session resume ${name}`;
    case "exited":
    case "killed":
    case "error":
      return `nomos fork ${name}`;
    case "starting":
    case "busy":
      return `nomos attach ${name}`;
    case "idle":
    case "hibernated":
      if (landing !== null && landing.at !== "landed" && landing.at !== "ejected") return nextOfLanding(landing);
      return recentTurns.length > 0 && state.worktree != null && landing?.at !== "landed"
        ? `nomos diff ${name}`
        : `nomos prompt ${name} "..."`;
  }
}

/** A finding says how it is mended: where that is one command, it is the next one. */
function nextOfLanding(row: LandingRow | null): string | null {
  if (row === null) return null;
  switch (row.at) {
    case "queued":
      return row.heldBecause === null ? `nomos landing wait ${row.id}` : `nomos landing release ${row.id}`;
    case "checking":
      return `nomos landing wait ${row.id}`;
    case "refused": {
      const [, command] = /`(nomos [^`]+)`/.exec(row.findings[0]?.remedy ?? "") ?? [];
      return command ?? `nomos landing show ${row.id}`;
    }
    case "landed":
      return null;
    case "ejected":
      return `nomos land ${row.order.sessionId}`;
  }
}
