import { type Clock, type DiskState, spaceAt, watchDisk } from "../../host/index.ts";
import type { Store } from "../../store/index.ts";
import { type Alarm, type BoundLimits, createBounds, type SessionBounds } from "../../supervisor/index.ts";
import { type ConfigService, limit } from "../config/settings.ts";

export interface BoundsService {
  readonly limits: () => BoundLimits & { readonly walBytes: number };
  readonly disk: () => DiskState;
  readonly wal: () => { readonly bytes: number; readonly problem: string | null };
}

export interface OpenedBounds {
  readonly bounds: SessionBounds;
  readonly service: BoundsService;
  readonly stop: () => void;
}

interface BoundsDeps {
  readonly home: string;
  readonly store: Store;
  readonly config: ConfigService;
  readonly clock: Clock;
  readonly log: (message: string, details: object) => void;
  /** Bytes beside the log that count towards the home's quota. */
  readonly besideBytes: () => number;
}

/** Multiples of the write-ahead log's limit: above the first nothing new starts, above the second turns are ended. */
const WAL_LOW_TIMES = 4;
const WAL_SCARCE_TIMES = 8;
const WAL_LOOK_EVERY_MS = 1000;

/** Watches the disk and the write-ahead log while the daemon runs, and enforces the quotas. */
export async function openBounds(deps: BoundsDeps): Promise<OpenedBounds> {
  const { store, config, clock, log } = deps;
  const limits = (): BoundLimits & { readonly walBytes: number } => ({
    sessionBytes: limit(config, "sessionBytes"),
    homeBytes: limit(config, "homeBytes"),
    liveSessionsMax: limit(config, "liveSessionsMax"),
    diskFreeBytes: limit(config, "diskFreeBytes"),
    walBytes: limit(config, "walBytes"),
  });
  const onChange = (state: DiskState): void =>
    log(state.level === "enough" ? "there is room on the disk again" : "the disk is almost full", { ...state });
  const disk = await watchDisk({
    read: spaceAt(deps.home),
    clock,
    limitBytes: () => limits().diskFreeBytes,
    onChange,
  });
  const wal = watchWal(deps, () => limits().walBytes);
  const alarm = (): Alarm | null => {
    const times = wal.bytes() / limits().walBytes;
    const reason = wal.problem();
    if (reason === null || times <= WAL_LOW_TIMES) return null;
    return { level: times > WAL_SCARCE_TIMES ? "scarce" : "low", reason };
  };
  return {
    bounds: createBounds({ store, limits, disk: disk.state, alarm, besideBytes: deps.besideBytes }),
    service: { limits, disk: disk.state, wal: () => ({ bytes: wal.bytes(), problem: wal.problem() }) },
    stop: () => {
      disk.stop();
      wal.stop();
    },
  };
}

function watchWal(
  { store, clock, log }: Pick<BoundsDeps, "store" | "clock" | "log">,
  limitBytes: () => number,
): { readonly bytes: () => number; readonly problem: () => string | null; readonly stop: () => void } {
  let bytes = 0;
  let problem: string | null = null;
  let cancel: () => void = () => undefined;
  const look = (): void => {
    bytes = store.walBytes();
    const found = bytes > limitBytes() ? PINNED : null;
    if (found !== problem) log(found ?? "the write-ahead log is folded in again", { walBytes: bytes });
    problem = found;
  };
  const again = (): void => {
    look();
    cancel = clock.after(WAL_LOOK_EVERY_MS, again);
  };
  again();
  return { bytes: () => bytes, problem: () => problem, stop: () => cancel() };
}

const PINNED =
  "a process keeps an old state of the log open, so that its write-ahead log cannot be folded in: end whoever reads log.db";
