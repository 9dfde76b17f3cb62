import { type Client, ClientError, type StreamItem } from "../../src/client/index.ts";
import type { Tab } from "./messages.ts";

/** The sessions whose streams are open, each once for all tabs that show it. */
export interface Followed {
  readonly use: (client: Client, signal: AbortSignal) => void;
  /** Something happened to this session: a stream that was over begins again. */
  readonly wake: (id: string) => void;
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
  /** The session ended, or is not there. */
  isOver: boolean;
}

const TOGETHER_MS = 24;
const AGAIN_MS = 2_000;

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
  /** The daemon may refuse for a while, when it has too many streams: that is no reason to stay silent. */
  const keepRunning = async (id: string, stream: Stream, outer: AbortSignal | null): Promise<void> => {
    while (!stream.isOver && !stream.leave.signal.aborted && outer?.aborted !== true) {
      const isFinal = await run(id, stream).then(
        () => true,
        (thrown) => thrown instanceof ClientError && (thrown.status === 401 || thrown.status === 404),
      );
      stream.isLive = false;
      stream.isOver = isFinal;
      if (!isFinal) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  };
  const begin = (id: string, tabs: Iterable<Tab> = []): Stream => {
    const stream: Stream = { tabs: new Set(tabs), leave: new AbortController(), isLive: false, isOver: false };
    streams.set(id, stream);
    void keepRunning(id, stream, outer);
    return stream;
  };
  /** A stream ends with its session. What happens to the session afterwards, as a new title, needs a new one. */
  const standing = (id: string): Stream => {
    const stream = streams.get(id);
    return stream === undefined || stream.isOver ? begin(id, stream?.tabs) : stream;
  };

  return {
    use: (given, signal) => {
      client = given;
      outer = signal;
      for (const [id, { tabs }] of [...streams]) begin(id, tabs);
    },
    wake: (id) => {
      if (streams.get(id)?.isOver === true) standing(id);
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
          const stream = standing(id);
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
