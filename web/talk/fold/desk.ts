import type { LogEvent } from "../../../src/client/index.ts";
import type { Entry, Step } from "../entry.ts";

/** What is known of a turn while its events are folded. */
export interface Turn {
  startedAt: string | null;
  tools: number;
  usage: unknown;
  readonly steps: Map<string, Step>;
  /** Keys of tool calls that have begun and not ended. */
  readonly open: Set<string>;
  /** The entry of the tries that failed in a row; null after one that did not. */
  failure: { readonly key: string; readonly tries: number; readonly error: string } | null;
}

/** What the handlers of events work on. */
export interface Desk {
  readonly put: (entry: Entry) => void;
  readonly find: (key: string) => Entry | undefined;
  readonly remove: (key: string) => void;
  readonly toEnd: (key: string) => void;
  readonly turn: (event: LogEvent) => Turn;
  /** By the id of an effect: the key of the tool call that it is part of. */
  readonly callOf: Map<string, string>;
  /** Keys of steering messages that no step has contained yet. */
  readonly waiting: Set<string>;
}

export type Handlers = { readonly [type: string]: (desk: Desk, event: LogEvent) => void };
