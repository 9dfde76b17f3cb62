import { type DataOf, type FactOf, factsOf, readsOf } from "../definitions/event.ts";
import { COMMON_EVENTS } from "../definitions/shared-events.ts";
import { DRIVER_EVENTS } from "./driver-events.ts";
import { LIFE_EVENTS } from "./life-events.ts";
import { WORLD_EVENTS } from "./snapshot-events.ts";
import { STEP_EVENTS } from "./steps/step-events.ts";
import { TURN_EVENTS } from "./turn-events.ts";
import { WORKTREE_EVENTS } from "./worktree-events.ts";

/** All facts of a session. The meaning of a type never changes; a new shape is a new version. */
export const SESSION_EVENTS = {
  ...LIFE_EVENTS,
  ...TURN_EVENTS,
  ...DRIVER_EVENTS,
  ...STEP_EVENTS,
  ...WORLD_EVENTS,
  ...WORKTREE_EVENTS,
  ...COMMON_EVENTS,
};

export type SessionEvents = typeof SESSION_EVENTS;
export type EventType = keyof SessionEvents;
export type EventData<T extends EventType> = DataOf<SessionEvents[T]>;
export type Fact<T extends EventType = EventType> = FactOf<Pick<SessionEvents, T>>;

export const fact = factsOf(SESSION_EVENTS);
/** The session fact in an event. */
export const sessionFact = readsOf(SESSION_EVENTS);
