import type { OutputOf } from "../../client/index.ts";
import { spellBytes } from "../print/spell.ts";
import { type Check, fine, warning } from "./check.ts";

export type BoundsReport = Pick<OutputOf<"system.doctor">, "usage" | "disk" | "wal">;

/** Warn at this share of a limit. */
const NEARLY_PART = 0.9;

/** Checks the space that the daemon reports as used and left. None of these findings means that the log is wrong. */
export function boundsChecks({ usage, disk, wal }: BoundsReport): readonly Check[] {
  return [aboutQuota(usage), aboutRoom(disk), aboutWal(wal)];
}

export function spellUsage({ eventBytes, blobBytes, limit }: BoundsReport["usage"]): string {
  return `${spellBytes(eventBytes + blobBytes)} of ${spellBytes(limit)} (events ${spellBytes(eventBytes)}, blobs ${spellBytes(blobBytes)})`;
}

export function spellDisk({ freeBytes, level, limit }: BoundsReport["disk"]): string {
  const free = `${spellBytes(freeBytes)} free`;
  if (level === "enough") return free;
  const what = level === "low" ? "nothing new starts" : "running turns are ended too";
  return `${free}, which is ${level}: below ${spellBytes(limit)} ${what}`;
}

function aboutQuota(usage: BoundsReport["usage"]): Check {
  const message = spellUsage(usage);
  if (usage.eventBytes + usage.blobBytes < usage.limit * NEARLY_PART) return fine("quota", message);
  return warning("quota", message, "Run `nomos gc`, or raise the quota: `nomos config set limits.homeBytes BYTES`.");
}

function aboutRoom(disk: BoundsReport["disk"]): Check {
  if (disk.level === "enough") return fine("room", spellDisk(disk));
  return warning(
    "room",
    spellDisk(disk),
    "Free space on the disk of $NOMOS_HOME; the daemon then continues by itself.",
  );
}

function aboutWal({ bytes, problem }: BoundsReport["wal"]): Check {
  if (problem === null) return fine("wal", spellBytes(bytes));
  return warning(
    "wal",
    `${spellBytes(bytes)}: ${problem}`,
    "Run `fuser -v $NOMOS_HOME/log.db` to see which processes have it open.",
  );
}
