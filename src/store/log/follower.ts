/** How far something has come behind the log: the last event it took in. Before the first one: 0 and no id. */
export interface Cursor {
  readonly seq: number;
  /** Tells a cursor of this log from one of another log, such as one that a restore has replaced. */
  readonly id: string;
}

/** Something made out of the log, behind the writes. Thrown away, it is made again. */
export interface Follower {
  readonly name: string;
  /** Appends come in bursts: one pass so long after the first append serves them all. */
  readonly pauseMs: number;
  /** The last event it has taken in; 0 when none. */
  readonly position: () => Promise<number>;
  /** Takes in one page, in the order of the log. A page that failed half way is taken in again. */
  readonly advance: () => Promise<Advanced>;
  /** Throws away what it has made; the next page begins with the first event. */
  readonly restart: () => Promise<void>;
}

export interface Advanced {
  readonly position: number;
  /** There was nothing further when the page was read. */
  readonly isAtEnd: boolean;
}
