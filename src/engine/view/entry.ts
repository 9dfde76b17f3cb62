import type { Message } from "../model.ts";
import type { TouchedFiles } from "./touched-files.ts";

/**
 * One unit of the transcript: a prompt, a delivered steering message, a step with its results, plain text of a driver
 * without steps, or what came of a branch that was left. A compaction cuts between entries, so a call and its result are never parted.
 */
export interface Entry {
  readonly kind: "prompt" | "steer" | "step" | "plain" | "branch";
  readonly turnId: string;
  /** The event where it stands. */
  readonly eventId: string;
  /** The place of that event on the path. */
  readonly place: number;
  /** What it says to the model; empty for a step that left nothing. The same objects until the entry changes. */
  readonly messages: () => readonly Message[];
  /** A step that is still running. */
  readonly isOpen: () => boolean;
  readonly files: () => TouchedFiles;
}

/** Where an entry stands. */
export type EntryAt = Pick<Entry, "turnId" | "eventId" | "place">;
