export interface Progress {
  readonly message: string;
  /** Only where the amount is known: both, or neither. */
  readonly done?: number;
  readonly total?: number;
}
