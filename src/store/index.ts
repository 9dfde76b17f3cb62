export { mayHaveLog, openStore, type StoreSettings, shownAddress } from "./open-store.ts";
export * from "./port.ts";
export { lockHome } from "./sqlite/home-lock.ts";
export { openLogReader } from "./sqlite/open-reader.ts";
export { logPath, openSqliteStore } from "./sqlite/store.ts";
export { checkTree, type TreeProblem, type TreeReport } from "./tree/check-tree.ts";
export { type CheckpointKeeper, keepCheckpoints, readKept, type SignedCheckpoint } from "./tree/checkpoint-keeper.ts";
export { openLogKey } from "./tree/log-key.ts";
export type { LogTree } from "./tree/log-tree.ts";
export {
  COSIGNATURE,
  isSignedBy,
  parseCheckpoint,
  parseSignatures,
  parseVerifierKey,
  type VerifierKey,
} from "./tree/note.ts";
export { openCheckedTree } from "./tree/open-checked.ts";
export { sha256 } from "./tree/sha256.ts";
export { createTileFiles } from "./tree/tile-files.ts";
export type { TreeHead } from "./tree/tile-store.ts";
