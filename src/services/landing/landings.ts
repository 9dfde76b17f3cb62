import type { By } from "../../commit/index.ts";
import type { Finding, LandHow } from "../../domains/index.ts";
import type { RecordedEvent } from "../../store/index.ts";

type Events = Promise<readonly RecordedEvent[]>;

/** Brings the work of sessions onto branches: each landing passes one gate and waits in the queue of its branch. */
export interface Landings {
  /** Captures the session's work as it is now, and queues it. */
  readonly land: (sessionId: string, wish: LandWish, by: By) => Events;
  /** What would come of a landing. Nothing is queued and no branch moves. */
  readonly tryOut: (sessionId: string, wish: LandWish, signal?: AbortSignal) => Promise<Trial>;
  /** The message that the commit gets when a landing has none of its own, without trailers; a person may edit it. */
  readonly draft: (sessionId: string) => Promise<string>;
  readonly eject: (id: string, reason: string, by: By) => Events;
  readonly hold: (id: string, reason: string, by: By) => Events;
  readonly release: (id: string, by: By) => Events;
  /** Puts a waiting landing just before another one of the same branch. */
  readonly move: (id: string, before: string, by: By) => Events;
  /** The check that runs now, as a person would type it; null when none does. Forgotten with the daemon. */
  readonly checking: (id: string) => string | null;
}

export interface LandWish {
  /** The branch; default: the one that is checked out in the repository. */
  readonly into?: string | undefined;
  readonly how?: LandHow | undefined;
  readonly message?: string | undefined;
  /** Checks beside those of the configuration. */
  readonly checks?: readonly (readonly string[])[] | undefined;
  /** Push a branch for a pull request instead of moving `into`. */
  readonly pr?: boolean | undefined;
}

/** What a dry run found. */
export interface Trial {
  readonly into: string;
  /** Empty: it would land. */
  readonly findings: readonly Finding[];
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** How long the checks took; null when they did not run, because something else refuses the landing. */
  readonly checkMs: number | null;
}
