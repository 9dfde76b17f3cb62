/** Text too large for the event: its beginning, and the blob with the whole. */
export interface TextOrBlob {
  readonly text: string;
  readonly blob: string | null;
  readonly bytes: number;
}

/** How an agent got its memory back: new, loaded by itself, or told a digest of the log. */
export type Continuity = "fresh" | "native" | "digest";
