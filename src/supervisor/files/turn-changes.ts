import type { Committer } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import type { FileDiff } from "../../host/index.ts";
import {
  dataIn,
  SESSION_EVENTS,
  Session,
  type SessionState,
  type SnapshotOccasion,
  type SnapshotTaken,
  sessionFact,
} from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import type { SessionFiles } from "./session-files.ts";

/** The file changes of a session's turns. */
export interface TurnChanges {
  /** Diff of a turn by number or id; null: the running turn, else the last one. */
  readonly diff: (id: string, turn: number | string | null, binary: boolean) => Promise<TurnDiff>;
  /** The event that ended the turn with this number; 0: the session's first event. */
  readonly endOfTurn: (id: string, turn: number) => Promise<string>;
  /** The data of the session's last snapshot; null when it has none. */
  readonly lastSnapshot: (id: string) => Promise<SnapshotTaken | null>;
}

export interface TurnDiff {
  readonly id: string;
  readonly turnId: string;
  readonly turn: number;
  readonly from: string | null;
  readonly to: string;
  readonly files: readonly FileDiff[];
}

interface Marks {
  readonly turnId: string;
  readonly turn: number;
  readonly startedAt: number;
  /** Null while the turn runs. */
  readonly endedAt: number | null;
}

const PAGE = 1000;
const TYPES = ["turn.started", "turn.ended"];

export function createTurnChanges(deps: {
  readonly store: Store;
  readonly committer: Committer;
  readonly sessionFiles: SessionFiles;
}): TurnChanges {
  const { store, committer, sessionFiles } = deps;

  const find = async (state: SessionState, wanted: number | string | null): Promise<Marks> => {
    const started = new Map<string, Marks>();
    let last: Marks | null = null;
    for (let after: number | null = 0; after !== null; ) {
      const page: { events: readonly RecordedEvent[]; next: number | null } = await store.readStream(state.stream, {
        after,
        limit: PAGE,
        types: TYPES,
      });
      for (const event of page.events) {
        const turnId = turnIn(event);
        const known = started.get(turnId);
        if (event.type.startsWith("turn.started"))
          last = { turnId, turn: started.size + 1, startedAt: event.version, endedAt: null };
        else if (known !== undefined) last = { ...known, endedAt: event.version };
        else continue;
        started.set(turnId, last);
        const isIt = wanted === last.turn || wanted === turnId || String(last.turn) === wanted;
        if (isIt && last.endedAt !== null) return last;
      }
      after = page.next;
    }
    const open = wanted === null || wanted === last?.turn || wanted === last?.turnId || String(last?.turn) === wanted;
    if (last === null || !open) throw new NomosError("turn_not_found", { id: state.id, turn: wanted ?? "" });
    return last;
  };

  const ownSnapshot = async (
    { stream }: SessionState,
    { turnId }: Marks,
    occasion: SnapshotOccasion,
  ): Promise<string | null> => {
    const { events } = await store.readStream(stream, { turnId, types: ["snapshot.taken"], limit: PAGE });
    const taken = events.map((event) => dataIn(SESSION_EVENTS, [event], "snapshot.taken@1"));
    return taken.find((one) => one?.occasion === occasion)?.snapshot ?? null;
  };

  /** The snapshot from before the turn: the one taken at its start, if files had changed by then. */
  const before = async (state: SessionState, marks: Marks): Promise<string | null> => {
    const own = await ownSnapshot(state, marks, "turn_start");
    if (own !== null) return own;
    const { view } = await store.fold(Session, state.id, marks.startedAt);
    return view.world?.snapshot ?? null;
  };

  const after = async (state: SessionState, marks: Marks): Promise<string> => {
    const { endedAt } = marks;
    if (endedAt === null) return (await sessionFiles.take(state, "turn")).id;
    // After a crash, the snapshot of the interrupted turn comes after the turn's end.
    const own = await ownSnapshot(state, marks, "turn_end");
    if (own !== null) return own;
    const { world } = (await store.fold(Session, state.id, endedAt)).view;
    if (world?.snapshot == null)
      throw new NomosError("files_not_kept", { id: state.id, reason: world?.skipped ?? "no snapshot" });
    return world.snapshot;
  };

  return {
    diff: async (id, wanted, binary) => {
      const state = await committer.sessionState(id);
      const marks = await find(state, wanted);
      const [from, to] = [await before(state, marks), await after(state, marks)];
      // Without a first snapshot every file would look new.
      if (from === null) throw new NomosError("files_not_kept", { id, reason: "no snapshot at the turn's start" });
      return { id, turnId: marks.turnId, turn: marks.turn, from, to, files: await sessionFiles.diff(from, to, binary) };
    },
    endOfTurn: async (id, turn) => {
      const state = await committer.sessionState(id);
      const version = turn === 0 ? 1 : (await find(state, turn)).endedAt;
      if (version === null) throw new NomosError("session_busy", { id });
      const seq = await store.seqAt(state.stream, version);
      const { events } = await store.readStream(state.stream, { after: seq - 1, limit: 1 });
      return events[0]?.id ?? "";
    },
    lastSnapshot: async (id) => {
      const { stream } = await committer.sessionState(id);
      const { events } = await store.readStream(stream, { limit: 1, descending: true, types: ["snapshot.taken"] });
      return dataIn(SESSION_EVENTS, events, "snapshot.taken@1");
    },
  };
}

function turnIn(event: RecordedEvent): string {
  const fact = sessionFact(event);
  return fact !== null && "turnId" in fact.data ? (fact.data.turnId ?? "") : "";
}
