/** In bytes as stored: headers and data of events, and blobs, each counted once. */
export interface Quota {
  /** For all streams of one account: a root, its forks, and the sessions that they started. */
  readonly streamBytes: number;
  readonly homeBytes: number;
  /** Bytes kept outside the store that count for the home. */
  readonly besideBytes?: number;
  /** The content exists already and would be lost: accept it while any room is left. */
  readonly overdraw: boolean;
  /** With `overdraw`: this many events at the start of each part must fit within the quota. Default 0. */
  readonly fitting?: number;
}

/** The usage of a stream. A blob counts, compressed, for the stream that stored it first. */
export interface StreamUsage {
  readonly events: number;
  readonly bytes: number;
  readonly blobBytes: number;
  /** All bytes of the stream's account: its root, the root's forks, and the sessions those started. */
  readonly familyBytes: number;
}

export interface StoreFiles {
  readonly databaseBytes: number;
  readonly searchBytes: number;
}

export type MayKeep = (packedBytes: number) => void;
