import type { EventType } from "./events.ts";

const ALIVE = ["starting", "idle", "busy", "suspended", "hibernated"] as const;
export const ENDED_STATES = ["exited", "killed", "error"] as const;
export const SESSION_STATES = [...ALIVE, ...ENDED_STATES] as const;
export type SessionStateName = (typeof SESSION_STATES)[number];

export interface Transition<Event extends string, State extends string> {
  readonly on: Event;
  readonly from: readonly State[];
  readonly to: State;
}

/** The session's state machine as data: fold, decisions, docs and tests read this table. */
export const SESSION_TRANSITIONS: readonly Transition<EventType, SessionStateName>[] = [
  { on: "session.started@1", from: ["starting"], to: "idle" },
  { on: "turn.started@1", from: ["idle"], to: "busy" },
  { on: "turn.ended@1", from: ["busy"], to: "idle" },
  { on: "session.suspended@1", from: ["starting", "idle", "hibernated"], to: "suspended" },
  { on: "session.resumed@1", from: ["suspended"], to: "idle" },
  { on: "session.hibernated@1", from: ["starting", "idle"], to: "hibernated" },
  { on: "session.woken@1", from: ["hibernated"], to: "idle" },
  { on: "session.exited@1", from: ALIVE, to: "exited" },
  { on: "session.killed@1", from: ALIVE, to: "killed" },
  { on: "session.failed@1", from: ALIVE, to: "error" },
];

export const TURN_TRANSITIONS: readonly Transition<EventType, "none" | "queued" | "running" | "ended">[] = [
  { on: "turn.admitted@1", from: ["none"], to: "queued" },
  { on: "turn.started@1", from: ["queued"], to: "running" },
  { on: "turn.ended@1", from: ["queued", "running"], to: "ended" },
];

export const EFFECT_TRANSITIONS: readonly Transition<EventType, "none" | "intended" | "begun" | "settled">[] = [
  { on: "effect.intended@1", from: ["none"], to: "intended" },
  { on: "effect.begun@1", from: ["intended"], to: "begun" },
  { on: "effect.settled@1", from: ["intended", "begun"], to: "settled" },
];

export const APPROVAL_TRANSITIONS: readonly Transition<EventType, "none" | "pending" | "answered" | "closed">[] = [
  { on: "approval.requested@1", from: ["none"], to: "pending" },
  { on: "approval.answered@1", from: ["pending"], to: "answered" },
  { on: "approval.closed@1", from: ["pending"], to: "closed" },
];

/** The next state after an event, or null when the table has no such transition. */
export function transition<State extends string>(
  table: readonly Transition<string, State>[],
  from: State,
  on: string,
): State | null {
  return table.find((row) => row.on === on && row.from.includes(from))?.to ?? null;
}
