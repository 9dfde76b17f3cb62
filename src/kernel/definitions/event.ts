import type { Json } from "../json.ts";
import { ownEntry } from "../own-entry.ts";
import type { Line } from "./line.ts";

/**
 * How a fact is treated when space is short. `start`: new work, refused first. `course`: part of a running turn.
 * `output`: data that exists and would be lost. `end`: ends, answers or removes something; never refused.
 */
export type SpaceNeed = "start" | "course" | "output" | "end";

/** The definition of one type of event. Its shape is the type `Data`. */
export interface EventDefinition<Data> {
  /** Whether it may be erased: yes for what was said and done, no for what the state machine needs. */
  readonly erasable: boolean;
  readonly spaceNeed: SpaceNeed;
  /** Whether a secret in it is refused, not replaced: a path or a setting would not work any more. */
  readonly exact: boolean;
  /** The text to search by; null when an event has none. */
  readonly words: ((data: Data) => string | null) | null;
  /** How it is shown as a line of output. */
  readonly lines: ((data: Data) => readonly Line[]) | null;
}

export function event<Data extends object>(about: Partial<EventDefinition<Data>> = {}): EventDefinition<Data> {
  return { erasable: false, spaceNeed: "end", exact: false, words: null, lines: null, ...about };
}

/** Definitions by type: a past-tense name and the version of the shape, such as `turn.ended@1`. */
export interface EventDefinitions {
  readonly [type: string]: EventDefinition<never>;
}

export type DataOf<D> = D extends EventDefinition<infer Data extends object> ? Data : never;

export type FactOf<Events extends EventDefinitions> = {
  readonly [Type in keyof Events & string]: { readonly type: Type; readonly data: DataOf<Events[Type]> };
}[keyof Events & string];

/** A fact of any domain: what decisions return and the log holds. */
export interface AnyFact {
  readonly type: string;
  readonly data: object;
}

/** A custom fact, stored and filtered like built-in ones but never interpreted: `x.<name>@1`. */
export interface CustomFact {
  readonly type: `x.${string}@1`;
  readonly data: { readonly turnId: string | null; readonly payload: Json };
}

/** A fact at its position in a stream, as a fold sees it. `fact` is null when erased or of another domain. */
export interface Placed<Fact extends AnyFact = AnyFact> {
  readonly id: string;
  readonly version: number;
  readonly at: string;
  readonly fact: Fact | null;
}

/** Makes the facts of a domain: the name decides the shape. */
export function factsOf<Events extends EventDefinitions>(_events: Events) {
  return <Type extends keyof Events & string>(
    type: Type,
    data: DataOf<Events[Type]>,
  ): { readonly type: Type; readonly data: DataOf<Events[Type]> } => ({ type, data });
}

/** An event as read from the log. */
interface Stored {
  readonly type: string;
  readonly data: Json;
}

/**
 * Reads a domain's facts: null for an event of another domain, or with erased data. The shape is not checked: the chain
 * proves that these bytes were appended, and the compiler checked them then.
 */
export function readsOf<Events extends EventDefinitions>(events: Events) {
  return ({ type, data }: Stored): FactOf<Events> | null =>
    data !== null && ownEntry(events, type) !== undefined ? ({ type, data } as unknown as FactOf<Events>) : null;
}

/** The data of the first event of this type among the given ones; null when there is none. */
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

/** Judged by the prefix alone: a fold must skip every custom fact, also one with an invalid name. */
export function isCustom(given: AnyFact): given is CustomFact {
  return given.type.startsWith("x.");
}
