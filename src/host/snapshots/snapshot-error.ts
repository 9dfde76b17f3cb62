/** Every expected way a snapshot or a restore can be refused, with a remedy for the person. */
export type SnapshotErrorCode =
  | "disk_full"
  | "restore_failed"
  | "restore_unavailable"
  | "snapshot_damaged"
  | "snapshot_missing"
  | "snapshots_closed"
  | "tree_missing"
  | "tree_moved"
  | "tree_too_large"
  | "tree_unreadable";

export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
  readonly code: SnapshotErrorCode;
  readonly details: Readonly<Record<string, string | number | readonly string[]>>;

  constructor(
    code: SnapshotErrorCode,
    details: Readonly<Record<string, string | number | readonly string[]>> = {},
    cause?: unknown,
  ) {
    super(`${code} ${JSON.stringify(details)}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}
