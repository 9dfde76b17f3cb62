export { type ArchiveLine, hashFile, readArchive, writeArchive } from "./archive/archive-file.ts";
export { provedEvents } from "./archive/check-archive.ts";
export { makeBackup } from "./backup/make-backup.ts";
export { MANIFEST, type Manifest, readManifest } from "./backup/manifest.ts";
export { openBackupLog } from "./backup/read-backup.ts";
export { takeCopy } from "./backup/take-copy.ts";
export { verifyBackup } from "./backup/verify-backup.ts";
export { bundleLines, bundleParts, partBytes } from "./bundle/read-bundle.ts";
export { HOUSE } from "./definitions.ts";
export { flushFolder } from "./files/durable-file.ts";
export { makeFolders } from "./files/make-folders.ts";
export { blobsIn } from "./log/prepare-append.ts";
export { sha256 } from "./log/sha256.ts";
export { loadCopy, mayHaveLog, openStore, type StoreSettings, shownAddress } from "./open-store.ts";
export {
  type Advanced,
  type AppendOptions,
  type AppendPart,
  type BundleRequest,
  type CallRef,
  type Cursor,
  type EventPage,
  type EventQuery,
  type Follower,
  type MayKeep,
  type NewEvent,
  type Quota,
  type RawEvent,
  type RebuildReport,
  type RecordedEvent,
  type RowPlace,
  type RowQuery,
  STORE_ERROR_CODES,
  type Store,
  StoreError,
  type StoreErrorCode,
  type StreamUsage,
  type StreamVersion,
  type VerifyReport,
} from "./port.ts";
export { type HomeLock, lockHome } from "./sqlite/opening/home-lock.ts";
export { openLogReader } from "./sqlite/reader/open-reader.ts";
export { logPath, openSqliteStore } from "./sqlite/store.ts";
export { startWriterThread } from "./sqlite/writer/start-thread.ts";
export { checkTree, type TreeProblem, type TreeReport } from "./tree/check-tree.ts";
export { type CheckpointKeeper, keepCheckpoints, readKept, type SignedCheckpoint } from "./tree/checkpoint-keeper.ts";
export { findLogKey, type LogKey, openLogKey } from "./tree/log-key.ts";
export type { LogTree } from "./tree/log-tree.ts";
export {
  type Checkpoint,
  COSIGNATURE,
  isSignedBy,
  type NoteSignature,
  parseCheckpoint,
  parseSignatures,
  parseVerifierKey,
  type VerifierKey,
} from "./tree/note.ts";
export { openCheckedTree } from "./tree/open-checked.ts";
export { createTileFiles } from "./tree/tile-files.ts";
export type { TreeHead } from "./tree/tile-store.ts";
export { rootOfLog } from "./tree/walk-log.ts";
