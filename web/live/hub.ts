import { type Client, ClientError, createClient, type FetchResponse } from "../../src/client/index.ts";
import { createBoard } from "./board.ts";
import { createFollowed } from "./followed.ts";
import type { Connection, Tab, ToHub, ToTab } from "./messages.ts";

/** Holds the streams for all tabs of a browser, which allows only six connections to a daemon. */
export interface Hub {
  readonly join: (tab: Tab) => { readonly hear: (message: ToHub) => void };
}

const AGAIN_MS = 2_000;

export function createHub(url: string): Hub {
  const tabs = new Set<Tab>();
  let leave = new AbortController();
  let page: string | null = null;
  let client: Client | null = null;
  let connection: Connection = "connecting";
  let clockAheadMs = 0;

  const toAll = (message: ToTab): void => {
    for (const tab of tabs) tab.send(message);
  };
  const connected = (is: Connection): void => {
    connection = is;
    toAll({ kind: "connection", is, clockAheadMs });
  };
  const noteClock = (response: FetchResponse): void => {
    const date = Date.parse(response.headers?.get("date") ?? "");
    // The header has whole seconds.
    if (!Number.isNaN(date)) clockAheadMs = Math.abs(date - Date.now()) < 2_000 ? 0 : date - Date.now();
  };
  const board = createBoard(toAll);
  const followed = createFollowed();

  /** Reads everything that there is, until it works: a daemon that has much to do refuses for a while. */
  const load = async (client: Client, signal: AbortSignal, then: Connection): Promise<void> => {
    while (!signal.aborted) {
      const thrown: unknown = await board.load(client, signal).then(
        () => null,
        (thrown) => thrown,
      );
      if (signal.aborted) return;
      if (thrown === null) return connected(then);
      failed(thrown);
      if (connection === "signed-out") return;
      await pause(AGAIN_MS);
    }
  };
  const follow = async (client: Client, signal: AbortSignal): Promise<void> => {
    let reading = new AbortController();
    const options = {
      signal,
      reconnectsMax: Number.POSITIVE_INFINITY,
      onBroken: () => {
        reading.abort();
        connected("broken");
      },
      onConnected: () => {
        reading.abort();
        reading = new AbortController();
        void load(client, AbortSignal.any([signal, reading.signal]), "live");
      },
    };
    for await (const item of client.stream("session.watch", {}, options)) {
      board.hear(item);
      if (item.event === "session") followed.wake(item.data.id);
    }
  };
  const run = async (client: Client, signal: AbortSignal): Promise<void> => {
    const isOver = (): boolean => signal.aborted || connection === "signed-out";
    while (!isOver()) {
      const hasStream = await follow(client, signal).then(
        () => false,
        (thrown) => {
          if (!signal.aborted) failed(thrown);
          return true;
        },
      );
      // The browser gave no stream: ask again and again.
      while (!hasStream && !isOver()) {
        await load(client, signal, "polling");
        await pause(AGAIN_MS);
      }
      if (!isOver()) await pause(AGAIN_MS);
    }
  };
  const failed = (thrown: unknown): void => {
    const isOut = thrown instanceof ClientError && thrown.status === 401;
    connected(isOut ? "signed-out" : "broken");
  };
  const start = (given: string): void => {
    leave.abort();
    leave = new AbortController();
    page = given;
    connected("connecting");
    client = createClient({
      url,
      token: given,
      fetch: async (to, init) => {
        const response = await fetch(to, init);
        noteClock(response);
        return response;
      },
    });
    followed.use(client, leave.signal);
    void run(client, leave.signal);
  };

  return {
    join: (tab) => {
      tabs.add(tab);
      const own = followed.open(tab);
      return {
        hear: (message) => {
          if (message.kind === "hello") {
            if (message.page !== page || connection === "signed-out") start(message.page);
            tab.send({ kind: "connection", is: connection, clockAheadMs });
            for (const known of board.all()) tab.send(known);
          } else if (message.kind === "follow") own.follow(message.id);
          else if (message.kind === "unfollow") own.unfollow(message.id);
          else if (message.kind === "look") void board.look(client, message.id);
          else {
            own.close();
            tabs.delete(tab);
          }
        },
      };
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
