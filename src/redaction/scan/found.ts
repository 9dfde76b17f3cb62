/** A secret in a text, by the places of its bytes. */
export interface Found {
  readonly start: number;
  readonly end: number;
  /** `vault`, or the id of a shape. */
  readonly kind: string;
  /** What its fingerprint is made of. */
  readonly secret: Uint8Array;
}

/** What a look at a piece of text came to. */
export interface Findings {
  readonly found: readonly Found[];
  /** From here on more text is needed to decide; the end of the text when all is decided. */
  readonly openAt: number;
}

/** Collects while a piece of text is looked at. */
export interface Collector {
  readonly found: Found[];
  openAt: number;
  /** By needle: where a long match of it ended. */
  coveredTo: Map<object, number> | null;
}
