import type { Attachment, DriverSettings, Fact, Json, SessionSpec } from "../kernel/index.ts";

/** Which turn it is, and its input. */
export interface TurnIdentity {
  readonly sessionId: string;
  readonly turnId: string;
  readonly spec: SessionSpec;
  readonly prompt: string;
  readonly attachments: readonly LoadableAttachment[];
  readonly settings: DriverSettings;
  readonly past: Past;
  /** It works on a ticket of a governed repository: its agent is offered the tools of that work. */
  readonly isOnTicket: boolean;
  /** Secrets of the session and of its driver, as variables of the driver's own process. Asking for them is a use. */
  readonly secretVariables: () => Promise<Readonly<Record<string, string>>>;
  /** Aborts when the turn is interrupted. After a few seconds the driver's processes are killed. */
  readonly signal: AbortSignal;
  /** An earlier run of this turn was cut, or waited for a person. */
  readonly isResumed: boolean;
  /** The driver checkpoint of the first open question of an earlier run; null for a new turn. */
  readonly checkpoint: Json;
  /** Questions that an earlier run of this turn left open, oldest first; empty for a new turn. */
  readonly resumed: readonly ResumedQuestion[];
  /** A driver checkpoint: from here the turn can continue after a restart if it then waits for a person. */
  readonly reach: (checkpoint: Json) => void;
}

/** A question that waits for its answer, or about an allowed effect that has not begun. */
export interface ResumedQuestion {
  readonly approvalId: string;
  /** The effect it is about; null for a plain question. */
  readonly effectId: string | null;
  readonly question: string;
  readonly isAnswered: boolean;
  readonly checkpoint: Json;
}

/** What the log knows of the agent's memory, so that the driver can resume. */
export interface Past {
  /** The native session, if it can be resumed. */
  readonly nativeId: string | null;
  /** The parent's native session, as long as nothing has happened since on either side of the fork. */
  readonly forkOf: string | null;
  /** Whether there is anything that an agent without memory must be told. */
  readonly isEmpty: boolean;
  readonly digest: () => Promise<string>;
  /**
   * The events of the current path that the prompt is made of, oldest first: the system prompt, the last compaction and
   * what it kept. Texts and pictures are whole.
   */
  readonly history: (after?: number) => Promise<readonly LoadedEvent[]>;
  /** The events of the branch that ended at this event and that a rewind left, as in `history`. */
  readonly branch: (from: string) => Promise<readonly LoadedEvent[]>;
  /** The same as long as the path only grows: a rewind changes it. */
  readonly pathKey: string;
  /** What the native session said last that it has cost in all, in dollars; 0 when it said nothing. */
  readonly costTold: () => Promise<number>;
}

/** An event whose texts are loaded from their blobs. */
export interface LoadedEvent {
  readonly id: string;
  readonly seq: number;
  readonly at: string;
  readonly fact: Fact;
  /** The bytes of pictures and files that the fact names, in base64, by blob. Absent when it names none. */
  readonly bytes?: { readonly [blob: string]: string };
}

export interface LoadableAttachment extends Attachment {
  readonly load: () => Promise<Uint8Array>;
}
