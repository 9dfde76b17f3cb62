import type { Decision, SessionState } from "../kernel/index.ts";
import type { Redactor } from "../redaction/index.ts";
import type { RecordedEvent } from "../store/index.ts";

/** The part of the committer that a turn needs: changes of its own session, and blobs. */
export interface Recorder {
  readonly fence: number;
  readonly redactor: Redactor;
  readonly session: (
    id: string,
    decide: (state: SessionState) => Decision,
    by: { readonly actor: string },
  ) => Promise<{ readonly events: readonly RecordedEvent[] }>;
  readonly sessionState: (id: string) => Promise<SessionState>;
  readonly keeper: (id: string, spaceNeed: "course" | "output") => Keeper;
}

/** Where a session's blobs are stored, within its quota. */
export interface Keeper {
  readonly redact: (text: string) => string;
  readonly put: (bytes: Uint8Array) => Promise<{ readonly blob: string; readonly bytes: number }>;
  /** Large text is cut, not stored as a blob. */
  readonly isTight: () => boolean;
}
