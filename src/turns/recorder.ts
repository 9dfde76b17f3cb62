import type { Decision, SessionState } from "../kernel/index.ts";
import type { RecordedEvent } from "../store/index.ts";

/** What of the committer a turn needs: its own session's changes and the bytes that they name. */
export interface Recorder {
  readonly fence: number;
  readonly session: (
    id: string,
    decide: (state: SessionState) => Decision,
    by: { readonly actor: string },
  ) => Promise<{ readonly events: readonly RecordedEvent[] }>;
  readonly sessionState: (id: string) => Promise<SessionState>;
  readonly keeper: (id: string, spaceNeed: "course" | "output") => Keeper;
}

/** Where a session's large bytes go, within its bounds. */
export interface Keeper {
  readonly put: (bytes: Uint8Array) => Promise<string>;
  /** What is large is cut, not kept. */
  readonly isTight: () => boolean;
}
