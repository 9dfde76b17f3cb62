export { type BlameRepository, isBinary, linesOf, openBlame } from "./blame/blame-file.ts";
export { blobsAt, type CommittedFile, committedFiles, smallBlobs } from "./blame/commit-files.ts";
export { type BlamedLine, utf8 } from "./blame/porcelain.ts";
export { checkoutChanges } from "./changes/checkout-changes.ts";
export type { LiveChanges } from "./changes/live-changes.ts";
export { openCheckout, type PersonCheckout } from "./checkout/checkout.ts";
export { writeFileAtomic } from "./files/atomic-file.ts";
export { realPlace } from "./files/confine-path.ts";
export { type Files, systemFiles } from "./files/confined-files.ts";
export { missingFile, notAFile } from "./files/file-errors.ts";
export { fileStamp } from "./files/file-stamp.ts";
export { canHoldFolders, type HeldFolder, holdFolder } from "./files/held-folder.ts";
export { isInside } from "./files/path-inside.ts";
export { readSmallFile } from "./files/small-file.ts";
export { hasSetId, stripSetId } from "./files/strip-set-id.ts";
export { findRepository, type Repository } from "./git/find-repository.ts";
export { gitDirsBelow } from "./git/git-dirs-below.ts";
export { readBlobs } from "./git/read-blobs.ts";
export { openObjectsView, openView } from "./git/repository-view.ts";
export { type PersonAnswer, runAsPerson } from "./git/run-as-person.ts";
export { createGitRunner, type GitRunner as RepositoryGit } from "./git/run-git.ts";
export { HostError } from "./host-error.ts";
export type { CapturedWork } from "./landing/capture-work.ts";
export type { LandedChange } from "./landing/commit-changes.ts";
export { createLandingGit, type LandingGit, type LandingRepository } from "./landing/landing-git.ts";
export type { Made } from "./landing/make-commits.ts";
export { plainText } from "./landing/plain-text.ts";
export { type Clock, systemClock } from "./machine/clock.ts";
export { watchDeath } from "./machine/death-watch.ts";
export { type DiskState, spaceAt, watchDisk } from "./machine/disk-watch.ts";
export { listeningPorts } from "./machine/listening-ports.ts";
export { machineLoad } from "./machine/machine-load.ts";
export type { Missing } from "./machine/missing.ts";
export { openFilesMax } from "./machine/open-files.ts";
export { reportBugs } from "./machine/report-bug.ts";
export { returnMemoryWhenIdle, systemMemory } from "./machine/return-memory.ts";
export { type LocalConnection, socketUser } from "./machine/socket-user.ts";
export { allowedEnvironment } from "./processes/allowed-environment.ts";
export { closeInherited } from "./processes/close-inherited.ts";
export type { HostProcess, ProcessExit } from "./processes/host-process.ts";
export { killMarked, MARKER_VARIABLE } from "./processes/marker.ts";
export type { OutputChunk } from "./processes/output-queue.ts";
export { isAlive, type ProcessIdentity, processIdentity } from "./processes/pid-identity.ts";
export { createProcessHost, type ProcessHost } from "./processes/process-host.ts";
export type { ProcessSpec } from "./processes/process-spec.ts";
export type { ProcessMark } from "./processes/process-tree.ts";
export { limitsHeld, type ResourceLimits } from "./processes/resource-limits.ts";
export { shellQuoted } from "./processes/shell-quoted.ts";
export { openRadar, type Radar } from "./radar/radar.ts";
export type { BaseReport, PairReport } from "./radar/radar-messages.ts";
export { type Cgroups, findCgroups, type SandboxLimits } from "./sandbox/cgroups.ts";
export { type Bubblewrap, findBubblewrap } from "./sandbox/find-bubblewrap.ts";
export { openDoor } from "./sandbox/network/door.ts";
export { type Denied, type Resolve, systemResolve } from "./sandbox/network/egress.ts";
export { endpointRules } from "./sandbox/network/endpoints.ts";
export {
  type HostRule,
  isExact,
  parseHostRule,
  plainHost,
  ruleFor,
  spellRule,
} from "./sandbox/network/host-rules.ts";
export { isOwnMachine, isPublicAddress } from "./sandbox/network/public-address.ts";
export type { SandboxPlan } from "./sandbox/planned.ts";
export { type HomeState, privateHome } from "./sandbox/private-home.ts";
export type { Mount, Walls } from "./sandbox/walls.ts";
export type { FileDiff } from "./snapshots/diff/file-diffs.ts";
export { unifiedDiff } from "./snapshots/diff/unified-diff.ts";
export { SnapshotError } from "./snapshots/snapshot-error.ts";
export type {
  SnapshotsChecked,
  Taken,
  TreeChange,
} from "./snapshots/snapshot-store.ts";
export { openSnapshots, type Snapshots } from "./snapshots/snapshots.ts";
export type { OnBytes, Restored, RestoreLimits, TreeSpec } from "./snapshots/tree-spec.ts";
export { byteNameOf } from "./snapshots/walk/byte-path.ts";
export { type Left, removeTree } from "./trash/remove-tree.ts";
export { openTrash, type Trash } from "./trash/trash.ts";
export { type Fingerprints, openFingerprints } from "./vault/fingerprint-key.ts";
export type { Keyring } from "./vault/keyring.ts";
export { type LockReason, openVault, type Vault, type VaultOpener, type VaultState } from "./vault/open-vault.ts";
export type { VaultFiles } from "./vault/vault-files.ts";
export type { Applied } from "./worktrees/apply/apply-worktree.ts";
export { isLeadingOut } from "./worktrees/apply/plan-steps.ts";
export type { WorktreeChanges } from "./worktrees/apply/worktree-changes.ts";
export type { Work } from "./worktrees/find-work.ts";
export { holdersOf } from "./worktrees/holders.ts";
export type { RemovalWish } from "./worktrees/remove-worktree.ts";
export { createWorktrees, type Worktree, type Worktrees } from "./worktrees/worktrees.ts";
