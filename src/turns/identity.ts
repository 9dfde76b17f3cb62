import type { Attachment, DriverSettings, Json, SessionSpec } from "../kernel/index.ts";

/** Which turn it is, and what it was given. */
export interface TurnIdentity {
  readonly sessionId: string;
  readonly turnId: string;
  readonly spec: SessionSpec;
  readonly prompt: string;
  readonly attachments: readonly LoadableAttachment[];
  readonly settings: DriverSettings;
  readonly past: Past;
  /** Aborts when the turn is interrupted. The driver gets a few seconds, then its processes are killed. */
  readonly signal: AbortSignal;
  /** Where an earlier run of this very turn stopped to ask first; null for a turn that starts afresh. */
  readonly checkpoint: Json;
  /** What an earlier run of this very turn left open, oldest first; empty for a turn that starts afresh. */
  readonly resumed: readonly ResumedQuestion[];
  /** From here the turn can go on after a restart, should it be waiting for a person then. */
  readonly reach: (checkpoint: Json) => void;
}

/** A question that waits for its answer, or one about an effect that was allowed and has not begun. */
export interface ResumedQuestion {
  readonly approvalId: string;
  /** The effect that it is about; null for a plain question. */
  readonly effectId: string | null;
  readonly question: string;
  readonly isAnswered: boolean;
  readonly checkpoint: Json;
}

/** What the log knows of the agent's memory: how a driver finds out where to go on. */
export interface Past {
  /** The agent's own session, when it can be gone on with. */
  readonly nativeId: string | null;
  /** That of the session this one was forked from, as long as nothing has happened since on either side. */
  readonly forkOf: string | null;
  /** Whether anything was said that an agent without memory would have to be told. */
  readonly isEmpty: boolean;
  readonly digest: () => Promise<string>;
}

export interface LoadableAttachment extends Attachment {
  readonly load: () => Promise<Uint8Array>;
}
