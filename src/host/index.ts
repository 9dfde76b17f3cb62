export type { Anchor } from "./anchors/anchor.ts";
export { createGitAnchor } from "./anchors/git-anchor.ts";
export { type AnchorKeeper, type AnchorStatus, keepAnchored } from "./anchors/keep-anchored.ts";
export { createWitnessAnchor } from "./anchors/witness-anchor.ts";
export { type WriteOptions, writeFileAtomic } from "./atomic-file.ts";
export { type Clock, systemClock } from "./clock.ts";
export { closeInherited } from "./close-inherited.ts";
export { confinePath } from "./confine-path.ts";
export { watchDeath } from "./death-watch.ts";
export { type DiskState, type DiskWatch, spaceAt, watchDisk } from "./disk-watch.ts";
export { fileStamp } from "./file-stamp.ts";
export { type Files, systemFiles } from "./files.ts";
export { type Bubblewrap, findBubblewrap } from "./find-bubblewrap.ts";
export { gitDirsBelow } from "./git/git-dirs-below.ts";
export { HostError, type HostErrorCode } from "./host-error.ts";
export type { Missing } from "./missing.ts";
export { openFilesMax } from "./open-files.ts";
export { isInside } from "./path-inside.ts";
export { isAlive, type ProcessIdentity, processIdentity } from "./pid-identity.ts";
export { allowedEnvironment } from "./processes/allowed-environment.ts";
export type { HostProcess, ProcessExit, StopOptions } from "./processes/host-process.ts";
export { findMarked, killMarked, MARKER_VARIABLE } from "./processes/marker.ts";
export type { OutputChunk } from "./processes/output-queue.ts";
export { createProcessHost, type ProcessHost, type ProcessHostOptions } from "./processes/process-host.ts";
export type { ProcessSpec } from "./processes/process-spec.ts";
export type { ProcessMark } from "./processes/process-tree.ts";
export { limitsHeld, type ResourceLimits } from "./processes/resource-limits.ts";
export { type Cgroups, findCgroups, type SandboxLimits } from "./sandbox/cgroups.ts";
export { type DoorOptions, openDoor } from "./sandbox/network/door.ts";
export type { Denied } from "./sandbox/network/egress.ts";
export { endpointRules } from "./sandbox/network/endpoints.ts";

export { type HostRule, isExact, parseHostRule, spellRule } from "./sandbox/network/host-rules.ts";
export type { SandboxPlan } from "./sandbox/planned.ts";

export { type HomeState, privateHome } from "./sandbox/private-home.ts";
export { type ConfinedOrder, type ConfinedResult, runConfined } from "./sandbox/run-confined.ts";
export { type Access, type Door, INSIDE, type Mount, type Walls } from "./sandbox/walls.ts";
export { shellQuoted } from "./shell-quoted.ts";
export { readSmallFile } from "./small-file.ts";
export { byteNameOf } from "./snapshots/byte-path.ts";
export type { FileDiff } from "./snapshots/file-diffs.ts";
export { SnapshotError, type SnapshotErrorCode } from "./snapshots/snapshot-error.ts";
export type {
  Restored,
  RestoreLimits,
  SnapshotsChecked,
  Taken,
  TreeChange,
  TreeSpec,
} from "./snapshots/snapshot-store.ts";
export { openSnapshots, type Snapshots } from "./snapshots/snapshots.ts";
export { hasSetId, stripSetId } from "./strip-set-id.ts";
export { type Left, type RemoveOptions, removeTree } from "./trash/remove-tree.ts";
export { openTrash, type Trash } from "./trash/trash.ts";
export type { Work } from "./worktrees/find-work.ts";
export { holdersOf } from "./worktrees/holders.ts";
export { createWorktrees, type Worktree, type WorktreePlan, type Worktrees } from "./worktrees/worktrees.ts";
