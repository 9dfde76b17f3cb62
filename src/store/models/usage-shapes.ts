/** In bytes as stored: headers and data of events, and blobs, each counted once. */
export interface Quota {
  /** For a stream with all that draws on the same account: its root's forks, and the sessions that they started. */
  readonly streamBytes: number;
  readonly homeBytes: number;
  /** What is kept elsewhere and counts with the home. */
  readonly besideBytes?: number;
  /** It exists already and would be lost: let in as long as there is any room. */
  readonly overdraw: boolean;
  /** With `overdraw`: so many events at the beginning of each part must leave room. None unless said. */
  readonly fitting?: number;
}

/** What a stream takes up. A blob counts for the stream that brought it, packed as it is stored. */
export interface StreamUsage {
  readonly events: number;
  readonly bytes: number;
  readonly blobBytes: number;
  /** All bytes that draw on its account: its root, what forked from there, and what those started. */
  readonly familyBytes: number;
}

export interface StoreFiles {
  readonly databaseBytes: number;
  readonly searchBytes: number;
}

export type MayKeep = (packedBytes: number) => void;
