import type { Client, StreamItem } from "../../src/client/index.ts";
import type { Tab } from "./messages.ts";

/** The sessions whose streams are open, each once for all tabs that show it. */
export interface Followed {
  readonly use: (client: Client, signal: AbortSignal) => void;
  readonly open: (tab: Tab) => {
    readonly follow: (id: string) => void;
    readonly unfollow: (id: string) => void;
    readonly close: () => void;
  };
}

interface Stream {
  readonly tabs: Set<Tab>;
  readonly leave: AbortController;
  isLive: boolean;
}

const TOGETHER_MS = 24;

export function createFollowed(): Followed {
  const streams = new Map<string, Stream>();
  let client: Client | null = null;
  let outer: AbortSignal | null = null;

  const run = async (id: string, stream: Stream): Promise<void> => {
    if (client === null || outer === null) return;
    const signal = AbortSignal.any([stream.leave.signal, outer]);
    let waiting: StreamItem[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const send = (): void => {
      timer = undefined;
      for (const tab of stream.tabs) tab.send({ kind: "items", id, items: waiting });
      waiting = [];
    };
    const options = {
      after: "now",
      signal,
      reconnectsMax: Number.POSITIVE_INFINITY,
      onBroken: () => {
        stream.isLive = false;
      },
      onConnected: () => {
        stream.isLive = true;
        for (const tab of stream.tabs) tab.send({ kind: "following", id });
      },
    };
    for await (const item of client.stream("session.stream", { id }, options)) {
      // Lines say again, for terminals, what the events say.
      if (item.event === "line") continue;
      waiting.push(item);
      if (timer === undefined) timer = setTimeout(send, TOGETHER_MS);
    }
  };
  /** A session that ended closes its stream; a prompt that wakes it is a new event, so somebody has to look again. */
  const begin = (id: string): Stream => {
    const stream: Stream = { tabs: new Set(), leave: new AbortController(), isLive: false };
    streams.set(id, stream);
    run(id, stream).catch(() => {
      stream.isLive = false;
    });
    return stream;
  };

  return {
    use: (given, signal) => {
      client = given;
      outer = signal;
      for (const [id, { tabs }] of [...streams]) {
        const stream = begin(id);
        for (const tab of tabs) stream.tabs.add(tab);
      }
    },
    open: (tab) => {
      const own = new Set<string>();
      const unfollow = (id: string): void => {
        own.delete(id);
        const stream = streams.get(id);
        if (stream === undefined) return;
        stream.tabs.delete(tab);
        if (stream.tabs.size > 0) return;
        stream.leave.abort();
        streams.delete(id);
      };
      return {
        follow: (id) => {
          own.add(id);
          const stream = streams.get(id) ?? begin(id);
          stream.tabs.add(tab);
          if (stream.isLive) tab.send({ kind: "following", id });
        },
        unfollow,
        close: () => {
          for (const id of [...own]) unfollow(id);
        },
      };
    },
  };
}
