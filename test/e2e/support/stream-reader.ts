import type { TestDaemon } from "../../support/daemon.ts";
import { whenTestEnds } from "../../support/test-end.ts";
import { eventually } from "./talk.ts";

export interface Item {
  readonly event: string;
  readonly id: string | null;
  readonly data: { readonly [key: string]: unknown };
}

export interface StreamReader {
  readonly status: number;
  readonly items: readonly Item[];
  readonly comments: readonly string[];
  readonly isOver: () => boolean;
  /** Everything up to and including the first matching item. */
  readonly until: (what: string, fits: (item: Item) => boolean, maxMs?: number) => Promise<readonly Item[]>;
  readonly close: () => void;
}

/** A reader of server-sent events, like a browser. */
export async function readStream(
  daemon: TestDaemon,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<StreamReader> {
  const abort = new AbortController();
  whenTestEnds(() => abort.abort());
  const sent = { authorization: `Bearer ${daemon.token}`, ...headers };
  const response = await fetch(`${daemon.url}${path}`, { headers: sent, signal: abort.signal });
  const items: Item[] = [];
  const comments: string[] = [];
  let over = false;
  const taking = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const bytes of response.body ?? []) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        if (block.startsWith(":")) comments.push(block);
        else items.push(parse(block));
      }
    }
  };
  const end = () => {
    over = true;
  };
  taking().then(end, end);
  return {
    status: response.status,
    items,
    comments,
    isOver: () => over,
    until: async (what, fits, maxMs) => {
      const at = await eventually(
        `on the stream: ${what}`,
        async () => {
          const found = items.findIndex(fits);
          return found < 0 ? null : { found };
        },
        maxMs,
      );
      return items.slice(0, at.found + 1);
    },
    close: () => abort.abort(),
  };
}

function parse(block: string): Item {
  const field = (name: string): string | null => {
    const line = block.split("\n").find((one) => one.startsWith(`${name}: `));
    return line === undefined ? null : line.slice(name.length + 2);
  };
  return { event: field("event") ?? "message", id: field("id"), data: JSON.parse(field("data") ?? "null") };
}
