import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Clock, type DiskState, spaceAt, watchDisk } from "../host/index.ts";
import { APPROVALS, QUEUED, SESSIONS } from "../kernel/index.ts";
import type { Store } from "../store/index.ts";
import { type Alarm, type BoundLimits, createBounds, type SessionBounds } from "../supervisor/index.ts";
import type { BoundsService, Census, ConfigService, EventLoopLag } from "../syscalls/index.ts";
import { limit } from "./settings.ts";

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
  /** What is kept beside the log and counts with it. */
  readonly besideBytes: () => number;
}

/** So many times its limit the write-ahead log may grow to before nothing new is begun, and before turns end. */
const WAL_LOW_TIMES = 4;
const WAL_SCARCE_TIMES = 8;
const WAL_LOOK_EVERY_MS = 1000;
const CENSUS_KEPT_MS = 5000;
const LAG_WINDOW_MS = 10_000;

/** Looks after what is taken up and what is left, for as long as the daemon runs. */
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

/** Asked for at most every few seconds, however often somebody looks. */
export function keptCensus(store: Store, clock: Clock): () => Promise<Census> {
  let taken: Promise<Census> | null = null;
  let takenMs = 0;
  return () => {
    if (taken !== null && clock.steadyMs() - takenMs < CENSUS_KEPT_MS) return taken;
    takenMs = clock.steadyMs();
    const fresh = takeCensus(store);
    fresh.catch(() => {
      if (taken === fresh) taken = null;
    });
    taken = fresh;
    return fresh;
  };
}

async function takeCensus(store: Store): Promise<Census> {
  const [sessions, queuedTurns, pendingApprovals] = await Promise.all([
    store.counts(SESSIONS, "state", { shown: true }),
    store.count(QUEUED),
    store.count(APPROVALS, { status: "pending" }),
  ]);
  return { sessions, queuedTurns, pendingApprovals };
}

export function watchEventLoop(): { readonly lag: () => EventLoopLag; readonly stop: () => void } {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let sinceMs = performance.now();
  return {
    lag: () => {
      const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);
      const found = {
        meanSeconds: seconds(delay.mean),
        p99Seconds: seconds(delay.percentile(99)),
        maxSeconds: seconds(delay.max),
      };
      // Whoever looks often, or beside somebody else, still sees the last seconds.
      if (performance.now() - sinceMs > LAG_WINDOW_MS) {
        delay.reset();
        sinceMs = performance.now();
      }
      return found;
    },
    stop: () => void delay.disable(),
  };
}
