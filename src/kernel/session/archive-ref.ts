/** A file in the home's `archive` folder, by name and sha256. */
export interface ArchiveRef {
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
}
