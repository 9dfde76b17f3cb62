import { randomBytes } from "node:crypto";
import { type Committer, createCommitter, type Followers } from "../commit/index.ts";
import { uuidv7Maker } from "../domains/index.ts";
import type { NewId } from "../kernel/index.ts";
import { giveHomeLeaseBack, type OpenedHome, openBounds, openWaiting, takeHomeLease } from "../services/index.ts";
import { startFollowers } from "./followers.ts";

type Bounds = Awaited<ReturnType<typeof openBounds>>;
type Waiting = ReturnType<typeof openWaiting>;

/** The log with this daemon as its writer: it holds the lease, and the followers run. */
export interface WritableLog {
  readonly fence: number;
  readonly newId: NewId;
  readonly committer: Committer;
  readonly bounds: Bounds;
  readonly followers: Followers;
  readonly waiting: Waiting;
  /** Releases the lease for other daemons. Followers run until the log is closed. */
  readonly giveBack: () => Promise<void>;
}

/** `besideBytes`: bytes beside the log that count towards the home's quota. */
export async function openWritableLog(opened: OpenedHome, besideBytes: () => number): Promise<WritableLog> {
  const { home, config, log, clock, store, redactor } = opened;
  const newId = uuidv7Maker({ nowMs: clock.nowMs, random: () => randomBytes(10) });
  const fence = await takeHomeLease({ store, newId, clock, holder: `pid:${process.pid}` });
  const bounds = await openBounds({ home, store, config, clock, log: log.write, besideBytes });
  const followers = await startFollowers(opened, fence);
  const committer = createCommitter({ store, clock, newId, fence, bounds: bounds.bounds, redactor });
  const waiting = openWaiting(opened, committer);
  const giveBack = async (): Promise<void> => {
    await giveHomeLeaseBack(committer, fence, log.write);
    bounds.stop();
  };
  return { fence, newId, committer, bounds, followers, waiting, giveBack };
}
