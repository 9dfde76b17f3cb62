import type { DriverFact } from "../../kernel/index.ts";
import type { RecordedAt } from "../../turns/index.ts";
import type { TurnOrder } from "../link/protocol.ts";
import type { Model, ToolSpec } from "../model.ts";
import type { Points } from "../points/index.ts";
import type { Breaker } from "../providers/index.ts";
import type { AnyTool, PathLocks, ToolResult } from "../tool.ts";
import type { LoopGuard } from "../view/loop-guard.ts";
import type { LoadedFact, PathEvent } from "../view/path-event.ts";
import type { Transcript } from "../view/transcript.ts";
import { asked, type Link } from "./link.ts";
import type { TodoList } from "./world.ts";

/** A turn in progress: what the loop's parts share. */
export interface TurnState {
  readonly order: TurnOrder;
  readonly link: Link;
  readonly session: SessionMemory;
  readonly tools: ReadonlyMap<string, AnyTool>;
  readonly specs: readonly ToolSpec[];
  readonly guard: LoopGuard;
  readonly points: Points;
  readonly todo: TodoList;
  readonly models: readonly Model[];
  readonly summaryModel: Model | null;
  readonly breakerOf: (provider: string) => Breaker;
  readonly clock: LoopClock;
  readonly newId: () => string;
  /** Results that are recorded together with the start of the next step. */
  readonly unrecorded: { readonly fact: DriverFact; readonly loaded: LoadedFact }[];
  /** Calls that only look, started while their step is being recorded. */
  readonly early: Map<string, Promise<ToolResult>>;
  /** Facts that the transcript has and the log has not: they go with the next append. */
  readonly unsent: DriverFact[];
  /** Facts that were sent and are not durable yet. Resolves when they are. */
  recording: Promise<void>;
  /** The model in use: the first one, until it fails for good. */
  model: Model;
  /** The first reset among the usage limits that its models have met; null: none has. */
  limit: { readonly untilMs: number; readonly reason: string } | null;
  /** What the turn has cost, over all of its runs. Shared with the turn's summaries. */
  readonly spent: { microUsd: number };
}

export interface LoopClock {
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** What the engine keeps of a session between turns. It can be dropped at any time: the log has it all. */
export interface SessionMemory {
  readonly transcript: Transcript;
  readonly pathKey: string;
  /** The last event that an order brought. */
  upTo: number;
  /** Events since then that the loop added itself, and steering that it delivered. */
  readonly own: Set<string>;
  readonly locks: PathLocks;
}

/** Records facts in one append, and adds them to the transcript: `loaded` has the pictures that the log keeps as blobs. */
export async function record(
  turn: TurnState,
  facts: readonly DriverFact[],
  loaded: readonly LoadedFact[] = facts,
): Promise<void> {
  const waiting = takeWaiting(turn);
  const all = [...waiting.facts, ...facts];
  if (all.length === 0) return;
  const places = await asked<readonly RecordedAt[]>(turn.link, { do: "record", facts: all });
  await turn.recording;
  waiting.recorded(places.slice(0, waiting.facts.length));
  addAll(turn.session, loaded, places.slice(waiting.facts.length));
}

/** What goes with the next append: what the transcript has already, then the results that it gets when they are recorded. */
export function takeWaiting({ unsent, unrecorded, session }: TurnState) {
  const ahead = unsent.splice(0);
  const results = unrecorded.splice(0);
  return {
    facts: [...ahead, ...results.map(({ fact }) => fact)],
    recorded: (places: readonly RecordedAt[]): void => {
      for (const { id } of places.slice(0, ahead.length)) session.own.add(id);
      addAll(
        session,
        results.map(({ loaded }) => loaded),
        places.slice(ahead.length),
      );
    },
  };
}

/** Adds facts to the transcript now; they are recorded with the next append, or by `sendAhead`. */
export function recordLater(
  turn: TurnState,
  facts: readonly DriverFact[],
  loaded: readonly LoadedFact[] = facts,
): void {
  // Only the start of a step or of a turn is ever named by its event, so these do without theirs.
  for (const fact of loaded) turn.session.transcript.add({ id: `ahead ${turn.newId()}`, seq: 0, at: "", fact });
  turn.unsent.push(...facts);
}

/**
 * Records without waiting for the flush. A session's appends keep their order, so nothing that is asked of the daemon
 * later can be durable before. A failure is thrown by the next `record`.
 */
export function sendAhead(turn: TurnState): void {
  const { session, link } = turn;
  const facts = turn.unsent.splice(0);
  if (facts.length === 0) return;
  const sent = asked<readonly RecordedAt[]>(link, { do: "record", facts }).then((places) => {
    for (const { id } of places) session.own.add(id);
  });
  turn.recording = Promise.all([turn.recording, sent]).then(() => undefined);
  turn.recording.catch(() => undefined);
}

function addAll(session: SessionMemory, facts: readonly LoadedFact[], places: readonly RecordedAt[]): void {
  for (const [index, fact] of facts.entries()) {
    const place = places[index];
    if (place !== undefined) addOwn(session, { ...place, fact });
  }
}

export function addOwn(session: SessionMemory, event: PathEvent): void {
  session.own.add(event.id);
  session.transcript.add(event);
}
