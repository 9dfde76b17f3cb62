/** Bytes that are too large to stand in the event: the text's beginning, and where the whole is. */
export interface TextOrBlob {
  readonly text: string;
  readonly blob: string | null;
  readonly bytes: number;
}

/** How a session got its agent's memory back: it is new, the agent loaded it, or it was told a digest of the log. */
export type Continuity = "fresh" | "native" | "digest";
