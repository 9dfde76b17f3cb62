/** How far a follower has come: the last event it has processed. At the start: 0 and an empty id. */
export interface Cursor {
  readonly seq: number;
  /** Tells this log from another one with the same positions, for example after a restore. */
  readonly id: string;
}

/** Something derived from the log after the writes. It can be deleted and rebuilt. */
export interface Follower {
  readonly name: string;
  /** Appends come in bursts. The follower waits this long after the first one, then processes all of them. */
  readonly pauseMs: number;
  /** The seq of the last processed event; 0 when none. */
  readonly position: () => Promise<number>;
  /** Processes one page, in log order. A page that failed is processed again from its start. */
  readonly advance: () => Promise<Advanced>;
  /** Deletes everything derived; the next page begins with the first event. */
  readonly restart: () => Promise<void>;
}

export interface Advanced {
  readonly position: number;
  /** The page reached the end of the log. */
  readonly isAtEnd: boolean;
}
