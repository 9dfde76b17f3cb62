import type { Snapshots } from "../host/index.ts";
import { limit, type OpenedHome, setting } from "../services/index.ts";
import { createSessionFiles, type SessionFiles } from "../supervisor/index.ts";

/** Snapshots of sessions' files, stored in the home. */
export function openSessionFiles(options: {
  readonly opened: OpenedHome;
  readonly snapshots: Snapshots;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isTight: () => boolean;
  readonly livesAt: (root: string) => boolean;
}): SessionFiles {
  const { opened, snapshots, environment, isTight, livesAt } = options;
  const { home, config, clock, log } = opened;
  return createSessionFiles({
    snapshots,
    home,
    userHome: environment["HOME"] ?? null,
    limits: () => ({
      filesMax: setting(config, "snapshotFilesMax"),
      bytesMax: setting(config, "snapshotBytesMax"),
      leaveOut: config.show().snapshotLeaveOut ?? [],
      sessionBytes: limit(config, "sessionBytes"),
    }),
    isTight,
    livesAt,
    nowMs: clock.nowMs,
    log: log.write,
  });
}
