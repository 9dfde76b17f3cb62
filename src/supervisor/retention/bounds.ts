import type { Bounds } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import type { DiskState } from "../../host/index.ts";
import { LIMITS, SESSIONS, type SpaceNeed } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";

/** What sessions and the home may take up, and what is left on the disk. Asked before anything is written. */
export interface SessionBounds extends Bounds {
  /** Throws `limit_reached` when as many sessions live as may; holds the place until the opening is over. */
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
  /** Why the disk counts as low or scarce although there is room: something else grows that should not. */
  readonly alarm: () => Alarm | null;
  /** What is kept beside the log and counts with the home. */
  readonly besideBytes?: () => number;
}): SessionBounds {
  const beside = deps.besideBytes ?? (() => 0);
  const opening = new Set<Promise<unknown>>();

  /** Those that are being opened may count twice, so that the last places are given when it is known who got one. */
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
      // It ends nothing, but what it is a note of may be what makes room again.
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
