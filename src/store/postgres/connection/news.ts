import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./connection.ts";

/** Hears of what others append. A connection that is lost is made again; what was missed meanwhile is asked for. */
export interface News {
  readonly close: () => Promise<void>;
}

const TRY_AGAIN_FIRST_MS = 100;
const TRY_AGAIN_MAX_MS = 5000;
/** Also without a message the end of the log is looked at so often: a connection can be dead without telling. */
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
        // Whoever asks for something is told; here there is nobody to tell.
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
