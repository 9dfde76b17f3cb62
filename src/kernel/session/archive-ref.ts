/** A file of the home's `archive` folder, by its name and what it must hash to. */
export interface ArchiveRef {
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
}
