/** What this machine lacks, and how to get it. */
export interface Missing {
  readonly missing: string;
  readonly remedy: string;
}
