import {
  type AnyFact,
  type CustomFact,
  type Decision,
  type EventType,
  evolveBy,
  type Fact,
  forkSession,
  isCustom,
  isRefusal,
  newSessionState,
  openSession,
  type Placed,
  SESSION_EVENTS,
  Session,
  type SessionSpec,
  type SessionState,
  type View,
} from "../../src/kernel/index.ts";
import { type Command, decideCommand, type Situation } from "./kernel-commands.ts";

/** Sessions as a daemon drives them: every command goes through its decision, every fact through the fold. */
export interface World {
  readonly logs: Log[];
  readonly steps: Step[];
  /** Ids that never repeat, as the kernel requires. */
  readonly fresh: (kind: string) => string;
  /** The first and every n-th state is kept, as targets for rewinds and forks. */
  readonly keepEvery: number;
}

/** The events of a session's stream. */
export type SessionEvent = Placed<Fact | CustomFact>;

export interface Log {
  readonly id: string;
  readonly stream: string;
  readonly events: SessionEvent[];
  /** By version; 0 is the empty state. */
  readonly states: Map<number, SessionState>;
  readonly parent: { readonly log: Log; readonly version: number } | null;
  readonly turnIds: string[];
  readonly effectIds: string[];
  readonly approvalIds: string[];
  head: SessionState;
}

export interface Step {
  readonly log: Log;
  readonly command: Command;
  readonly before: SessionState;
  readonly decision: Decision;
  readonly events: readonly SessionEvent[];
  readonly after: SessionState;
}

const LOGS_MAX = 4;

export const SPEC: SessionSpec = {
  name: "calm-otter-07",
  adapter: "demo",
  agent: "demo",
  workspace: "home",
  ground: "ground",
  cwd: "ground",
  sandbox: "off",
  scope: null,
  network: null,
  parentSessionId: null,
  depth: 0,
  file: null,
  external: null,
};

export function newWorld(keepEvery = 1): World {
  let last = 0;
  const fresh = (kind: string): string => {
    last += 1;
    return `${kind}-${last}`;
  };
  const world: World = { logs: [], steps: [], fresh, keepEvery };
  const log = newLog(world, null);
  append(world, log, openSession(log.head, { spec: SPEC, label: null }));
  return world;
}

export function runCommands(commands: readonly Command[], keepEvery = 1): World {
  const world = newWorld(keepEvery);
  for (const command of commands) perform(world, command);
  return world;
}

export function perform(world: World, command: Command): Step {
  const log = at(world.logs, command.log);
  if (command.do === "fork") return fork(world, log, command);
  const before = log.head;
  const decision = decideCommand(situationOf(world, log), command);
  const events = append(world, log, decision);
  return noted(world, { log, command, before, decision, events, after: log.head });
}

/** The state after an event, folded from the start: also for a version that was not kept. */
export function stateAt(log: Log, version: number): SessionState {
  const kept = log.states.get(version);
  if (kept !== undefined) return kept;
  return log.events.slice(0, version).reduce(evolve, newSessionState(log.id));
}

/** The events on a path, oldest first, as `stream@version`: what `?view=path` shows at that version. */
export function eventsOnPath(world: World, view: View, version: number): readonly string[] {
  return view.path.flatMap((segment) => {
    if (segment.kind === "inherited") {
      const log = logOf(world, segment.stream);
      return eventsOnPath(world, stateAt(log, segment.version).view, segment.version);
    }
    const to = segment.to ?? version;
    return Array.from({ length: to - segment.from + 1 }, (_, n) => `${segment.stream}@${segment.from + n}`);
  });
}

export function logOf(world: World, stream: string): Log {
  const found = world.logs.find((log) => log.stream === stream);
  if (found === undefined) throw new Error(`no log of ${stream}`);
  return found;
}

/** All facts of a type, oldest first. */
export function factsOf<T extends EventType>(log: Log, type: T): readonly FactOf<T>[] {
  return log.events.map((event) => event.fact).filter((given) => isOfType(given, type));
}

export function isOfType<T extends EventType>(given: Placed["fact"], type: T): given is FactOf<T> {
  return given?.type === type;
}

type FactOf<T extends EventType> = Extract<Fact, { readonly type: T }>;

export function evolve(state: SessionState, event: Placed): SessionState {
  return evolveBy(Session, state, event);
}

export function placed<Given extends AnyFact>(version: number, given: Given | null): Placed<Given> {
  return { id: `event-${version}`, version, at: instant(version), fact: given };
}

/** The n-th millisecond of the model's time. */
export function instant(n: number): string {
  return new Date(Date.UTC(2026, 0, 1) + n).toISOString();
}

/** Picks by any number, so that a shrunk command still picks something. */
function at<T>(list: readonly T[], n: number): T {
  const found = list[n % list.length];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
}

function situationOf(world: World, log: Log): Situation {
  const { turnIds, effectIds, approvalIds } = log;
  return {
    state: log.head,
    turnIds,
    effectIds,
    approvalIds,
    fresh: world.fresh,
    point: (n, toParent) => pointOf(log, n, toParent),
  };
}

/** Any kept state of the session, or of its parent up to the fork. */
function pointOf(own: Log, n: number, toParent: boolean): ReturnType<Situation["point"]> {
  const log = toParent && own.parent !== null ? own.parent.log : own;
  const newest = log === own ? log.head.version : (own.parent?.version ?? 0);
  const kept = [...log.states.keys()].filter((version) => version > 0 && version <= newest);
  const version = kept.length === 0 ? newest : at(kept, n);
  const eventId = log.events[version - 1]?.id ?? "";
  return { to: { stream: log.stream, version, eventId }, view: stateAt(log, version).view };
}

function newLog(world: World, parent: Log["parent"]): Log {
  const id = world.fresh("session");
  const head = newSessionState(id);
  const ids = { turnIds: [], effectIds: [], approvalIds: [] };
  const log: Log = { id, stream: head.stream, events: [], states: new Map([[0, head]]), parent, ...ids, head };
  world.logs.push(log);
  return log;
}

function fork(world: World, from: Log, command: Command<"fork">): Step {
  const kept = [...from.states.keys()].filter((version) => version > 0);
  const version = kept.length === 0 ? from.head.version : at(kept, command.n);
  const parent = stateAt(from, version);
  const before = from.head;
  if (world.logs.length >= LOGS_MAX)
    return noted(world, { log: from, command, before, decision: [], events: [], after: before });
  const log = newLog(world, { log: from, version });
  const event = from.events[version - 1];
  const decision = forkSession(log.head, {
    spec: SPEC,
    label: null,
    from: { sessionId: from.id, stream: from.stream, version, eventId: event?.id ?? "" },
    root: from.head.root,
    view: parent.view,
  });
  const empty = log.head;
  const events = append(world, log, decision);
  return noted(world, { log, command, before: empty, decision, events, after: log.head });
}

function noted(world: World, step: Step): Step {
  world.steps.push(step);
  return step;
}

function append(world: World, log: Log, decision: Decision): readonly SessionEvent[] {
  if (isRefusal(decision)) return [];
  return decision.map((given) => {
    const version = log.head.version + 1;
    const event: SessionEvent = { id: world.fresh("event"), version, at: instant(version), fact: ownFact(given) };
    log.events.push(event);
    log.head = evolve(log.head, event);
    if (version === 1 || version % world.keepEvery === 0) log.states.set(version, log.head);
    remember(log, event);
    return event;
  });
}

function ownFact(given: AnyFact): Fact | CustomFact {
  if (isCustom(given) || isSessionFact(given)) return given;
  throw new Error(`${given.type} is no fact of a session`);
}

function isSessionFact(given: AnyFact): given is Fact {
  return Object.hasOwn(SESSION_EVENTS, given.type);
}

function remember(log: Log, { fact: given }: SessionEvent): void {
  if (isOfType(given, "turn.admitted@1")) log.turnIds.push(given.data.turnId);
  if (isOfType(given, "effect.intended@1")) log.effectIds.push(given.data.effectId);
  if (isOfType(given, "approval.requested@1")) log.approvalIds.push(given.data.approvalId);
}
