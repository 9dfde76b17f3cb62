import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./connection.ts";

/** Listens for appends of other daemons. Reconnects when the connection is lost and reads what was missed. */
export interface News {
  readonly close: () => Promise<void>;
}

const TRY_AGAIN_FIRST_MS = 100;
const TRY_AGAIN_MAX_MS = 5000;
/** The end of the log is also polled at this interval, because a dead connection may go unnoticed. */
const LOOK_EVERY_MS = 5000;

export function startNews(deps: {
  readonly connect: () => Promise<Connection>;
  readonly channel: string;
  readonly isOwn: (processId: number) => boolean;
  readonly heard: (seq: number) => void;
}): News {
  const closing = new AbortController();
  const { signal } = closing;
  const pause = (ms: number, until: AbortSignal): Promise<void> =>
    sleep(ms, undefined, { signal: until }).catch(() => undefined);

  const listen = async (connection: Connection): Promise<void> => {
    const gone = new AbortController();
    void connection.ended.then(() => gone.abort());
    const until = AbortSignal.any([signal, gone.signal]);
    connection.onNotification(({ processId, payload }) => {
      if (!deps.isOwn(processId)) deps.heard(Number(payload));
    });
    await connection.query(`LISTEN "${deps.channel}"`);
    while (!until.aborted) {
      const [end] = await connection.query("SELECT seq FROM head");
      deps.heard(Number(end?.["seq"] ?? 0));
      await pause(LOOK_EVERY_MS, until);
    }
  };
  const run = async (): Promise<void> => {
    let waitMs = TRY_AGAIN_FIRST_MS;
    while (!signal.aborted) {
      try {
        const connection = await deps.connect();
        waitMs = TRY_AGAIN_FIRST_MS;
        await listen(connection).finally(() => connection.close());
      } catch {
        // Errors are dropped here: calls that need the database report them.
        await pause(waitMs, signal);
        waitMs = Math.min(waitMs * 2, TRY_AGAIN_MAX_MS);
      }
    }
  };
  const running = run();
  return {
    close: async () => {
      closing.abort();
      await running;
    },
  };
}
