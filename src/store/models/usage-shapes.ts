/** In bytes as stored: headers and data of events, and blobs, each counted once. */
export interface Quota {
  /** For a stream with all that forked from where it comes from: forks draw on their root's quota. */
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
  /** All bytes of its root and of everything that forked from there. */
  readonly familyBytes: number;
}

export interface StoreFiles {
  readonly databaseBytes: number;
  readonly searchBytes: number;
}

export type MayKeep = (packedBytes: number) => void;
