import type { Json } from "../json.ts";
import { ownEntry } from "../own-entry.ts";
import type { Line } from "./line.ts";

/**
 * What a fact means when room is short. `start`: new work, refused first. `course`: a turn on its way. `output`: what
 * exists already and would be lost. `end`: what ends, answers or takes away; it always gets in.
 */
export type SpaceNeed = "start" | "course" | "output" | "end";

/** All that is known of one type of event. Its shape is the type `Data`; its name stands in front of it. */
export interface EventDefinition<Data> {
  /** What was said and done may be erased. What holds a state machine together may not. */
  readonly erasable: boolean;
  readonly spaceNeed: SpaceNeed;
  /** The words that somebody would look for; null when an event has none. */
  readonly words: ((data: Data) => string | null) | null;
  /** How it is shown to those who read lines. */
  readonly lines: ((data: Data) => readonly Line[]) | null;
}

export function event<Data extends object>(about: Partial<EventDefinition<Data>> = {}): EventDefinition<Data> {
  return { erasable: false, spaceNeed: "end", words: null, lines: null, ...about };
}

/** Definitions by type: a past-tense name and the version of the shape, such as `turn.ended@1`. */
export interface EventDefinitions {
  readonly [type: string]: EventDefinition<never>;
}

export type DataOf<D> = D extends EventDefinition<infer Data extends object> ? Data : never;

export type FactOf<Events extends EventDefinitions> = {
  readonly [Type in keyof Events & string]: { readonly type: Type; readonly data: DataOf<Events[Type]> };
}[keyof Events & string];

/** A fact of any room: what decisions come to and the log holds. */
export interface AnyFact {
  readonly type: string;
  readonly data: object;
}

/** A fact of somebody else's making, kept and filtered like ours but never interpreted: `x.<name>@1`. */
export interface CustomFact {
  readonly type: `x.${string}@1`;
  readonly data: { readonly turnId: string | null; readonly payload: Json };
}

/** A fact in its place in a stream: what a fold sees. `fact` is null when its data was erased, or is not the fold's. */
export interface Placed<Fact extends AnyFact = AnyFact> {
  readonly id: string;
  readonly version: number;
  readonly at: string;
  readonly fact: Fact | null;
}

/** Makes the facts of a room: the name decides the shape. */
export function factsOf<Events extends EventDefinitions>(_events: Events) {
  return <Type extends keyof Events & string>(
    type: Type,
    data: DataOf<Events[Type]>,
  ): { readonly type: Type; readonly data: DataOf<Events[Type]> } => ({ type, data });
}

/** An event as it comes from the log. */
interface Stored {
  readonly type: string;
  readonly data: Json;
}

/**
 * Reads the facts of a room: null for an event of another room, or one whose data was erased. No shape is checked: the
 * chain has proved that these are the bytes that were appended, and what was appended was checked by the compiler.
 */
export function readsOf<Events extends EventDefinitions>(events: Events) {
  return ({ type, data }: Stored): FactOf<Events> | null =>
    data !== null && ownEntry(events, type) !== undefined ? ({ type, data } as unknown as FactOf<Events>) : null;
}

/** The data of the first event of a type, among those that something brought; null when there is none. */
export function dataIn<Events extends EventDefinitions, Type extends keyof Events & string>(
  _events: Events,
  brought: readonly Stored[],
  type: Type,
): DataOf<Events[Type]> | null {
  const found = brought.find((one) => one.type === type)?.data ?? null;
  return found as unknown as DataOf<Events[Type]> | null;
}

export function isCustomType(type: string): type is CustomFact["type"] {
  return /^x\.[a-z0-9][a-z0-9_.-]{0,63}@1$/.test(type);
}

/** By the prefix alone: a fold has to pass over every fact of somebody else's making, also one with an odd name. */
export function isCustom(given: AnyFact): given is CustomFact {
  return given.type.startsWith("x.");
}
