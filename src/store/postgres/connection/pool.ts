import { StoreError } from "../../port.ts";
import type { Connection } from "./connection.ts";

/**
 * A bounded pool of connections for reads. When all are in use, a caller waits for a bounded time and is then refused.
 */
export interface Pool {
  readonly use: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;
  /** Waits a bounded time for running reads; refuses new ones. */
  readonly close: (waitMaxMs: number) => Promise<void>;
}

export interface PoolLimits {
  readonly connectionsMax: number;
  readonly waitingMax: number;
  readonly waitMaxMs: number;
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: StoreError) => void;
}

export function createPool(connect: () => Promise<Connection>, limits: PoolLimits): Pool {
  const idle: Connection[] = [];
  const busy = new Set<Connection>();
  const waiting = new Set<Waiting>();
  let taken = 0;
  let isClosed = false;
  const emptied = Promise.withResolvers<void>();

  const overloaded = (): StoreError =>
    new StoreError("overloaded", { connectionsMax: limits.connectionsMax, waiting: waiting.size });

  const take = async (): Promise<void> => {
    if (isClosed) throw new StoreError("store_closed");
    if (taken < limits.connectionsMax) {
      taken += 1;
      return;
    }
    if (waiting.size >= limits.waitingMax) throw overloaded();
    const entry = Promise.withResolvers<void>();
    waiting.add(entry);
    const late = setTimeout(() => refuse(entry, overloaded()), limits.waitMaxMs);
    await entry.promise.finally(() => clearTimeout(late));
  };
  const refuse = (entry: Waiting, error: StoreError): void => {
    if (waiting.delete(entry)) entry.reject(error);
  };
  const giveBack = (): void => {
    const [next] = waiting;
    if (next !== undefined) {
      waiting.delete(next);
      next.resolve();
      return;
    }
    taken -= 1;
    if (taken === 0 && isClosed) emptied.resolve();
  };
  const opened = async (): Promise<Connection> => {
    for (let found = idle.pop(); found !== undefined; found = idle.pop()) if (found.isOpen()) return found;
    return connect();
  };

  return {
    use: async (work) => {
      await take();
      try {
        const connection = await opened();
        busy.add(connection);
        try {
          return await work(connection);
        } finally {
          busy.delete(connection);
          if (connection.isOpen()) idle.push(connection);
        }
      } finally {
        giveBack();
      }
    },
    close: async (waitMaxMs) => {
      if (isClosed) return;
      isClosed = true;
      for (const entry of [...waiting]) refuse(entry, new StoreError("store_closed"));
      const late = setTimeout(() => {
        for (const connection of busy) connection.drop();
      }, waitMaxMs);
      if (taken > 0) await emptied.promise;
      clearTimeout(late);
      await Promise.all(idle.splice(0).map((connection) => connection.close()));
    },
  };
}
