import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "../connection/connection.ts";
import type { Pool } from "../connection/pool.ts";
import { isUnreachable } from "../connection/translate-error.ts";

export type Use = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;

const TRY_AGAIN_FIRST_MS = 50;
const TRY_AGAIN_MAX_MS = 500;

/**
 * Repeats idempotent work while the database is briefly away: a restarting server is back within seconds. If it stays
 * away longer, all callers fail at once.
 */
export function createReader(pool: Pool, rideOutMs: number): Use {
  let downSinceMs: number | null = null;
  return async (work) => {
    for (let waitMs = TRY_AGAIN_FIRST_MS; ; waitMs = Math.min(waitMs * 2, TRY_AGAIN_MAX_MS)) {
      try {
        const done = await pool.use(work);
        downSinceMs = null;
        return done;
      } catch (thrown) {
        if (!isUnreachable(thrown)) throw thrown;
        downSinceMs ??= performance.now();
        if (performance.now() - downSinceMs >= rideOutMs) throw thrown;
        await sleep(waitMs);
      }
    }
  };
}
