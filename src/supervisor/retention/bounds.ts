import type { Bounds } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import type { DiskState } from "../../host/index.ts";
import { LIMITS, SESSIONS, type SpaceNeed } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";

/** Quotas of sessions and the home, and free disk space. Checked before each write. */
export interface SessionBounds extends Bounds {
  /** Throws `limit_reached` at the limit of living sessions; reserves a place until the opening is done. */
  readonly forOpening: <T>(open: () => Promise<T>) => Promise<T>;
}

export interface BoundLimits {
  readonly sessionBytes: number;
  readonly homeBytes: number;
  readonly liveSessionsMax: number;
  readonly diskFreeBytes: number;
}

export interface Alarm {
  readonly level: "low" | "scarce";
  readonly reason: string;
}

export function createBounds(deps: {
  readonly store: Pick<Store, "usage" | "count">;
  readonly limits: () => BoundLimits;
  readonly disk: () => DiskState;
  /** Makes the disk count as low or scarce although it has space, because something else grows too much. */
  readonly alarm: () => Alarm | null;
  /** Bytes beside the log that count towards the home's quota. */
  readonly besideBytes?: () => number;
}): SessionBounds {
  const beside = deps.besideBytes ?? (() => 0);
  const opening = new Set<Promise<unknown>>();

  /** A session being opened may be counted twice, so near the limit this waits until the openings are done. */
  const untilPlace = async (): Promise<void> => {
    while (true) {
      const ahead = [...opening];
      const live = await deps.store.count(SESSIONS, { alive: true });
      const max = deps.limits().liveSessionsMax;
      if (live + Math.max(ahead.length, opening.size) < max) return;
      if (ahead.length === 0 && opening.size === 0)
        throw new NomosError("limit_reached", { limit: "limits.liveSessionsMax", live, max });
      await Promise.allSettled(opening);
    }
  };

  const checkDisk = (spaceNeed: SpaceNeed): void => {
    const disk = deps.disk();
    const alarm = deps.alarm();
    const levels = [disk.level, alarm?.level];
    const isRefused = levels.includes("scarce") || (spaceNeed === "start" && levels.includes("low"));
    if (spaceNeed === "end" || !isRefused) return;
    const details = { freeBytes: disk.freeBytes, limit: deps.limits().diskFreeBytes };
    throw new NomosError("disk_low", alarm === null ? details : { ...details, reason: alarm.reason });
  };

  return {
    judge: (spaceNeed, facts) => {
      checkDisk(spaceNeed);
      const { sessionBytes, homeBytes } = deps.limits();
      if (spaceNeed !== "end")
        return { streamBytes: sessionBytes, homeBytes, besideBytes: beside(), overdraw: spaceNeed === "output" };
      if (!facts.some(({ type }) => type === "call.made@1")) return null;
      // A call's record ends nothing, but the recorded call may be one that frees space.
      const reserve = LIMITS.callNotesReserveBytes;
      return { streamBytes: NO_LIMIT, homeBytes: homeBytes + reserve, besideBytes: beside(), overdraw: false };
    },
    mayKeep: async (stream, spaceNeed) => {
      checkDisk(spaceNeed);
      const { sessionBytes, homeBytes } = deps.limits();
      const { familyBytes: session } = await deps.store.usage(stream);
      const { bytes, blobBytes } = await deps.store.usage();
      const home = bytes + blobBytes + beside();
      return (packedBytes) => {
        const needed = spaceNeed === "output" ? 1 : packedBytes;
        if (session + needed > sessionBytes) throw exceeded("session", session, sessionBytes, packedBytes);
        if (home + needed > homeBytes) throw exceeded("home", home, homeBytes, packedBytes);
      };
    },
    isTight: () => deps.disk().level !== "enough",
    forOpening: async (open) => {
      await untilPlace();
      const mine = open();
      opening.add(mine);
      try {
        return await mine;
      } finally {
        opening.delete(mine);
      }
    },
  };
}

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

function exceeded(scope: "session" | "home", used: number, limit: number, needed: number): NomosError {
  return new NomosError("quota_exceeded", { scope, used, limit, needed });
}
