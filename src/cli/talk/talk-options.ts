import type { Session } from "../../client/index.ts";
import type { EndedTurn } from "../follow-turn.ts";

export interface TalkOptions {
  readonly session: Session;
  /** Where in the log to begin to show. */
  readonly after: number;
  /** Ends with this turn, or with the first one admitted, and the ones typed meanwhile. Null: a person leaves. */
  readonly until: { readonly turnId: string | null } | null;
  readonly verbose: boolean;
  /** A last line with agent, model, cost and context. */
  readonly hasStatus?: boolean;
}

/** How it ended: a person left, or went to another session, the awaited turns ended, or the session did. */
export interface Ended {
  readonly why: "detached" | "elsewhere" | "interrupted" | "turn" | "session";
  /** The turn that was waited for; null when none was, or it has not ended. */
  readonly turn: EndedTurn | null;
  readonly to: { readonly session: Session; readonly isNew: boolean } | null;
}
